/// The months' names and their short forms: English, German, French, Spanish,
/// Italian, Portuguese, Dutch, Danish, Norwegian, Swedish, Finnish, Polish,
/// Czech, Russian, Ukrainian, Turkish, Romanian, Hungarian, Greek, Indonesian.
/// In the cases that dates use, as the Unicode CLDR gives them. Where two
/// languages disagree (`listopad`, `Mart`), the one with more pages has it.
const NAMES: [&str; 12] = [
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari tammikuuta tammikuu stycznia styczeń \
     sty ledna leden января январь янв січня січень ocak oca ianuarie ian január ιανουαρίου ιαν",
    "february feb februar février fevrier févr fév febrero febbraio fevereiro fev februari helmikuuta helmikuu lutego \
     luty lut února únor февраля февраль фев лютого лютий şubat şub februarie február febr φεβρουαρίου φεβ",
    "march mar märz maerz mrz mars marzo março maart mrt marts maaliskuuta maaliskuu marca marzec března březen марта \
     март мар березня березень mart martie március márc μαρτίου maret",
    "april apr avril avr abril abr aprile huhtikuuta huhtikuu kwietnia kwiecień kwi dubna duben апреля апрель апр \
     квітня квітень nisan nis aprilie április ápr απριλίου",
    "may mai mayo maggio mag maio mei maj toukokuuta toukokuu maja května květen мая май травня травень mayıs mayis \
     május máj μαΐου",
    "june jun juni juin junio giugno giu junho kesäkuuta kesäkuu czerwca czerwiec cze června červen июня июнь июн \
     червня червень haziran haz iunie június jún ιουνίου",
    "july jul juli juillet juil julio luglio lug julho heinäkuuta heinäkuu lipca lipiec lip července červenec июля июль \
     июл липня липень temmuz tem iulie július júl ιουλίου",
    "august aug août aout agosto ago augustus augusti elokuuta elokuu sierpnia sierpień sie srpna srpen августа август \
     авг серпня серпень ağustos ağu augusztus αυγούστου agustus agt",
    "september sep sept septembre septiembre setiembre settembre set setembro syyskuuta syyskuu września wrzesień wrz \
     září сентября сентябрь сен сент вересня вересень eylül eyl septembrie szeptember szept σεπτεμβρίου",
    "october oct oktober okt octobre octubre ottobre ott outubro out lokakuuta lokakuu października październik paź \
     října říjen октября октябрь окт жовтня жовтень ekim eki octombrie október οκτωβρίου",
    "november nov novembre noviembre novembro marraskuuta marraskuu listopada listopad lis listopadu ноября ноябрь ноя \
     нояб листопада kasım kas noiembrie νοεμβρίου",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro joulukuuta joulukuu grudnia \
     grudzień gru prosince prosinec декабря декабрь дек грудня грудень aralık ara decembrie δεκεμβρίου desember des",
];

/// Returns the number of a month by its name, 1 to 12; without a point behind.
pub(super) fn number(word: &str) -> Option<u32> {
    // The longest name has 12 letters.
    if word.len() < 3 || word.len() > 26 {
        return None;
    }
    let word = word.to_lowercase();
    let at = NAMES.iter().position(|names| names.split(' ').any(|name| name == word))?;
    u32::try_from(at + 1).ok()
}

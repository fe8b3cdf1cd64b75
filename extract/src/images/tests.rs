use super::*;

fn images(html: &str) -> Vec<Image> {
    let url = Url::parse("https://site.test/dir/page").expect("a URL");
    read(&Dom::parse(html), Some(&url))
}

fn urls(html: &str) -> Vec<String> {
    images(html).into_iter().map(|image| image.url.replace("https://site.test/", "/")).collect()
}

#[test]
fn sources_sets_and_pictures_are_collected_in_order_and_once() {
    let html = "<img src=a.png srcset='a.png 1x, a2.png 2x'><picture><source srcset='b.webp 100w, b2.webp 200w'>\
        <source srcset=a.png><img src=/b.png alt=' A\n lamp '></picture><img src=a.png><video><source srcset=v.png></video>";
    assert_eq!(urls(html), ["/dir/a.png", "/dir/a2.png", "/dir/b2.webp", "/b.png"]);
    assert_eq!((images(html)[2].alt.as_str(), images(html)[0].alt.as_str()), ("A lamp", ""));
}

#[test]
fn what_scripts_load_later_is_taken_for_the_source() {
    assert_eq!(urls("<img src=blank.gif data-src=a.png data-srcset='b.png 2x'>"), ["/dir/a.png", "/dir/b.png"]);
    let twice = "<img data-src=a.png><noscript><img src=a.png><img src=c.png></noscript>";
    assert_eq!(urls(twice), ["/dir/a.png", "/dir/c.png"]);
    assert!(urls("<noscript><img src=//count.test/?x width=1 height=1></noscript>").is_empty());
}

#[test]
fn what_is_no_address_of_http_is_left_out() {
    let html = "<img src='data:image/gif;base64,x'><img src=''><img src='javascript:x'><img><img src='blob:x'>\
        <div style='background: url(data:image/png;base64,y)'></div>";
    assert!(urls(html).is_empty());
    assert!(read(&Dom::parse("<img src=a.png>"), None).is_empty());
    assert_eq!(urls("<base href=/other/><img src=a.png>"), ["/other/a.png"]);
}

#[test]
fn backgrounds_are_images() {
    let html =
        "<div style='background-image:url(a.png)'></div><div data-bg='url(b.png)'></div><div data-bg=dark></div>";
    assert_eq!(urls(html), ["/dir/a.png", "/dir/b.png"]);
}

#[test]
fn sizes_are_those_declared() {
    let size = |html| images(html).first().map(|image| (image.width, image.height));
    assert_eq!(size("<img src=a width=' 80px' height=60.5>"), Some((Some(80), Some(60))));
    assert_eq!(size("<img src=a width=100% height=auto>"), Some((None, None)));
    assert_eq!(size("<img src=a width=99999999999 height=-1>"), Some((None, None)));
}

#[test]
fn roles_follow_the_place_the_name_and_the_size() {
    let role = |html: &str| images(html).last().map(|image| image.role);
    for (html, expected) in [
        ("<header><a><img src=a></a></header>", Role::Logo),
        ("<nav><img src=a></nav>", Role::Logo),
        ("<p><img src=a alt='Blue Lamp logo'></p>", Role::Logo),
        ("<img src=a width=64 height=64>", Role::Icon),
        ("<img src=a width=64 height=65>", Role::Decorative),
        ("<article><header><img src=a width=1200 height=600></header></article>", Role::Hero),
        ("<div class=hero><p><img src=a></p></div>", Role::Hero),
        ("<li class='product-tile'><a><img src=a width=300></a></li>", Role::Product),
        ("<div itemscope itemtype='https://schema.org/Product'><img src=a></div>", Role::Product),
        ("<img src=a><img src=b><img src=c><img src=d width=1200 height=600>", Role::Decorative),
        ("<img src=a alt='A catalogue'>", Role::Decorative),
    ] {
        assert_eq!(role(html), Some(expected), "{html}");
    }
}

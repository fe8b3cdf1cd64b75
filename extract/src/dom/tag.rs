use html5ever::{LocalName, QualName, local_name, ns};

macro_rules! tags {
    ($($tag:ident $name:tt),* $(,)?) => {
        /// The elements of HTML that somebody asks for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Tag {
            $($tag,)*
            /// Any other of HTML, and those that pages make up.
            Other,
            /// An element of SVG or MathML, but for their outermost ones.
            Foreign,
        }

        impl Tag {
            fn of_html(name: &LocalName) -> Self {
                match *name {
                    $(local_name!($name) => Self::$tag,)*
                    _ => Self::Other,
                }
            }
        }
    };
}

tags! {
    A "a", Abbr "abbr", Address "address", Area "area", Article "article", Aside "aside", Audio "audio",
    B "b", Base "base", Bdi "bdi", Bdo "bdo", Big "big", Blockquote "blockquote", Body "body", Br "br",
    Button "button", Canvas "canvas", Caption "caption", Center "center", Cite "cite", Code "code", Col "col",
    Colgroup "colgroup", Dd "dd", Del "del", Details "details", Dfn "dfn", Dialog "dialog", Dir "dir",
    Div "div", Dl "dl", Dt "dt", Em "em", Embed "embed", Fieldset "fieldset", Figcaption "figcaption",
    Figure "figure", Font "font", Footer "footer", Form "form", Frame "frame", Frameset "frameset",
    H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6", Head "head", Header "header", Hgroup "hgroup",
    Hr "hr", Html "html", I "i", Iframe "iframe", Img "img", Input "input", Ins "ins", Kbd "kbd",
    Label "label", Legend "legend", Li "li", Link "link", Main "main", Map "map", Mark "mark",
    Math "math", Menu "menu", Meta "meta", Meter "meter", Nav "nav", Noscript "noscript", Object "object",
    Ol "ol", Optgroup "optgroup", Option "option", Output "output", P "p", Picture "picture", Pre "pre",
    Progress "progress", Q "q", Rp "rp", Rt "rt", Ruby "ruby", S "s", Samp "samp", Script "script",
    Search "search", Section "section", Select "select", Slot "slot", Small "small", Source "source",
    Span "span", Strike "strike", Strong "strong", Style "style", Sub "sub", Summary "summary", Sup "sup",
    Svg "svg", Table "table", Tbody "tbody", Td "td", Template "template", Textarea "textarea",
    Tfoot "tfoot", Th "th", Thead "thead", Time "time", Title "title", Tr "tr", Tt "tt", U "u", Ul "ul",
    Var "var", Video "video", Wbr "wbr",
}

impl Tag {
    pub(crate) fn of(name: &QualName) -> Self {
        match name.ns {
            ns!(html) => Self::of_html(&name.local),
            ns!(svg) if name.local == local_name!("svg") => Self::Svg,
            ns!(mathml) if name.local == local_name!("math") => Self::Math,
            _ => Self::Foreign,
        }
    }

    /// Returns 1 to 6 for `<h1>` to `<h6>`.
    pub(crate) fn heading_level(self) -> Option<usize> {
        [Self::H1, Self::H2, Self::H3, Self::H4, Self::H5, Self::H6]
            .iter()
            .position(|tag| *tag == self)
            .map(|at| at + 1)
    }

    /// Whether browsers begin and end a line with it.
    pub(crate) fn is_block(self) -> bool {
        matches!(
            self,
            Self::Address
                | Self::Article
                | Self::Aside
                | Self::Blockquote
                | Self::Body
                | Self::Caption
                | Self::Center
                | Self::Dd
                | Self::Details
                | Self::Dialog
                | Self::Dir
                | Self::Div
                | Self::Dl
                | Self::Dt
                | Self::Fieldset
                | Self::Figcaption
                | Self::Figure
                | Self::Footer
                | Self::Form
                | Self::H1
                | Self::H2
                | Self::H3
                | Self::H4
                | Self::H5
                | Self::H6
                | Self::Header
                | Self::Hgroup
                | Self::Hr
                | Self::Html
                | Self::Legend
                | Self::Li
                | Self::Main
                | Self::Menu
                | Self::Nav
                | Self::Ol
                | Self::Optgroup
                | Self::Option
                | Self::P
                | Self::Pre
                | Self::Search
                | Self::Section
                | Self::Summary
                | Self::Table
                | Self::Tbody
                | Self::Tfoot
                | Self::Thead
                | Self::Tr
                | Self::Ul
        )
    }
}

//! Small pages, each with the HTML that its Markdown has to say; nothing where
//! that is the page itself.

/// A page, and what is left of it.
pub(super) type Case = (&'static str, &'static str);

pub(super) const LIST: &[Case] = &[
    ("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
    ("<ul><ul><li>b</li></ul></ul>", "<ul><li><ul><li>b</li></ul></li></ul>"),
    ("<ul><li>a</li></ul><ul><li>b</li></ul>", ""),
    ("<ol><li>a</li></ol><ol><li>b</li></ol><ol><li>c</li></ol>", ""),
    ("<ul><li>a</li></ul><ol><li>b</li></ol><ul><li>c</li></ul>", ""),
    (r#"<ol start="3"><li>a<ol start="7"><li>x</li></ol></li><li>b</li></ol>"#, ""),
    (r#"<ol start="0"><li>a</li><li>b</li></ol>"#, ""),
    ("<ul><li>a<pre><code>x\n\n  y</code></pre></li><li>b</li></ul>", ""),
    ("<ul><li></li><li>b</li></ul>", ""),
    ("<ul><li>a<ul><li></li><li>c</li></ul></li></ul>", ""),
    ("<ul><li><ul><li><ul><li>deep</li></ul></li></ul></li></ul>", ""),
    ("<ul><li><hr></li><li>b</li></ul>", ""),
    ("<ul><li><h3>H</h3><p>t</p></li><li>b</li></ul>", ""),
    ("<ul><li>a<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></li></ul>", ""),
    ("<ul><li><p>one</p><ul><li>x</li></ul><p>two</p></li></ul>", ""),
    ("<ul><li>a<ul><li>x</li></ul>tail</li><li>b</li></ul>", ""),
    ("<ol><li>1. x</li><li>- y</li><li># z</li><li>[x] not a task</li></ol>", ""),
    (
        "<ol><li>i0</li><li>i1</li><li>i2</li><li>i3</li><li>i4</li><li>i5</li><li>i6</li><li>i7</li><li>i8</li><li>i9</li><li>i10</li><li>i11</li></ol>",
        "",
    ),
    ("<blockquote><ul><li>a</li><li>b<blockquote><p>c</p></blockquote></li></ul></blockquote><p>d</p>", ""),
    ("<ul><li>a<br>b</li><li>c<br>d</li></ul>", ""),
    (r#"<p>x</p><ol start="5"><li>a</li></ol><p>y</p>"#, ""),
    ("<ul><li><b>a:</b>b</li><li><i>c</i></li></ul>", ""),
    ("<ul><li><input type=checkbox checked><label>done</label></li></ul>", "<ul><li>[x] done</li></ul>"),
    ("<ul><li><div>a</div><div>b</div></li></ul>", "<ul><li><p>a</p><p>b</p></li></ul>"),
    ("<li>a</li><li>b</li>", "<ul><li>a</li><li>b</li></ul>"),
    ("<ul>text<li>a</li></ul>", "<ul><li>text</li><li>a</li></ul>"),
    (
        "<ol><li>a</li></ol>text<ol start=2><li>b</li></ol>",
        r#"<ol><li>a</li></ol><p>text</p><ol start="2"><li>b</li></ol>"#,
    ),
];

pub(super) const CODE: &[Case] = &[
    ("<pre><code>```\nx\n```</code></pre>", ""),
    ("<pre>~~~\n````\n</pre>", ""),
    ("<p>a <code>``x`` y</code> <code>`</code> <code> </code> b</p>", "<p>a <code>``x`` y</code> <code>`</code> b</p>"),
    (r#"<pre class="language-js">let a;</pre>"#, ""),
    ("<pre><span class=k>fn</span> <b>x</b>()\n<i>y</i></pre>", "<pre>fn x()\ny</pre>"),
    ("<pre>a<br>b<br><br>c</pre>", ""),
    ("<blockquote><pre><code>x\n\ny</code></pre></blockquote>", ""),
    (r#"<p><b><code>x</code></b>y <a href="/u"><code>z</code></a></p>"#, ""),
    (r#"<p>x<code>y</code>z and <code>a\</code> <code>&lt;b&gt; &amp;amp;</code></p>"#, ""),
    ("<p><code> x </code> <code> y</code></p>", ""),
    (r#"<div class="highlight-python"><pre>import x</pre></div>"#, r#"<pre class="language-python">import x</pre>"#),
    ("<p>text</p><pre>code</pre><p>text</p>", ""),
];

pub(super) const TABLE: &[Case] = &[
    ("<table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>", ""),
    (r#"<table><tr><th>A|B</th><th><code>a|b</code></th></tr><tr><td>x \| y</td><td>2</td></tr></table>"#, ""),
    (
        r#"<table><tr><th>A</th><th>B</th></tr><tr><td rowspan="2">x</td><td>1</td></tr><tr><td>2</td></tr></table>"#,
        "<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td>1</td></tr><tr><td></td><td>2</td></tr></table>",
    ),
    (
        "<table><caption>Cap</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
        "<p>Cap</p><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
    ),
    (
        "<table><tfoot><tr><td>f</td><td>g</td></tr></tfoot><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr><tr><td>f</td><td>g</td></tr></table>",
    ),
    (
        "<table><tr><th>A</th></tr><tr><td>1</td><td>2</td></tr></table>",
        "<table><tr><th>A</th><th></th></tr><tr><td>1</td><td>2</td></tr></table>",
    ),
    (
        r#"<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td><a href="/u|v">l</a> <img src="/a|b.png" alt="a|b"></td></tr></table>"#,
        r#"<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td><a href="/u|v">l</a> <img src="/a|b.png" alt="a|b"></td></tr></table>"#,
    ),
    (
        "<table><tr><td><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></td></tr></table>",
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
    ),
    (
        "<table><tr><th>A</th><th>B</th></tr><tr><td># x</td><td>- y</td></tr><tr><td></td><td>1. z</td></tr></table>",
        "",
    ),
    ("<blockquote><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></blockquote>", ""),
    (
        r#"<table><tr><th colspan="2">A</th></tr><tr><td>1</td><td>2</td></tr></table>"#,
        "<table><tr><th>A</th><th></th></tr><tr><td>1</td><td>2</td></tr></table>",
    ),
    ("<p>x</p><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><p>y</p>", ""),
    ("<table><tr><th>A</th></tr><tr><td>1</td></tr></table>", ""),
    (r#"<table><tr><th>A</th><th>B</th></tr><tr><td>`a|b`</td><td>a\</td></tr></table>"#, ""),
    ("<table><tr><th>K</th><td>v</td></tr><tr><th>L</th><td>w</td></tr></table>", ""),
];

pub(super) const LINK: &[Case] = &[
    (r#"<p><a href="/u"> text </a>x</p>"#, r#"<p><a href="/u">text</a> x</p>"#),
    (r#"<p>!<a href="/u">x</a> [<a href="/v">1</a>] (<a href="/v">1</a>)</p>"#, ""),
    (r#"<p><a href="/u">a [b] c</a> <a href="/u">a ] b [</a> <a href="/u">a](b</a></p>"#, ""),
    (r#"<p><a href="/a b?x=1&amp;copy;=2">t</a></p>"#, ""),
    (r##"<p><a href="#f">t</a> <a href="?q">u</a> <a href="../x">v</a></p>"##, ""),
    (r#"<p><a href="javascript:void(0)">x</a> <a name="y">z</a> <a href="/e"></a></p>"#, "<p>x z</p>"),
    (r#"<p><img src="/a.png" alt="a *b* [c] _d_ `e` &lt;f&gt; &amp;amp; ]"></p>"#, ""),
    (r#"<p><img src="/a.png" alt="x" title="T &quot;q&quot; \ y"></p>"#, ""),
    (r#"<p><img src="/a.png"></p>"#, r#"<p><img src="/a.png" alt=""></p>"#),
    (r#"<p><a href="mailto:a@b.test">a@b.test</a> <a href="mailto:a@b.test">mail</a></p>"#, ""),
    (r#"<p><a href="/u"><b>x</b></a><b>y</b></p>"#, ""),
    (r#"<p><a href="/u">a<br>b</a></p>"#, ""),
    (r#"<p><a href="/u"><img src="/s.png" alt="p"> text</a></p>"#, ""),
    (r#"<p><a href="https://x.y/&lt;a&gt;">q</a></p>"#, ""),
    (r#"<p><a href="https://x.y/a*b_c_d*e">q*r*s</a></p>"#, ""),
    (r#"<p><a href="/u" title="a\">t</a></p>"#, ""),
    (r#"<p><a href="https://x.y/">https://x.y/</a>abc</p>"#, ""),
    (r#"<ul><li><a href="/u">a</a></li><li><a href="/v">b</a></li></ul>"#, ""),
    (r#"<p>[<a href="/u">a</a>](b) and [a]<a href="/u">b</a></p>"#, ""),
    (r#"<p>x<a href="/u">y</a>(z)</p>"#, ""),
];

pub(super) const INLINE: &[Case] = &[
    ("<p><b>Note:</b>text</p>", ""),
    (r#"<p>foo<b>"bar"</b>baz</p>"#, ""),
    ("<p>「<b>太字</b>」と<b>「括弧」</b>です。<i>（斜体）</i>も</p>", ""),
    ("<p><b><i>x</i></b> <i><b>y</b></i> <b>a<i>b</i></b> <b><i>a</i>b</b> <i>a<b>b</b></i> <i><b>a</b>b</i></p>", ""),
    ("<p><b>a</b><i>b</i><b>c</b></p>", ""),
    ("<p>x<b>a</b><i>b</i>y</p>", ""),
    ("<p>x<i>a</i><b>b</b>y</p>", ""),
    ("<p><b>foo<i>bar</i>baz</b>qux</p>", ""),
    ("<p><i>foo<b>bar</b>baz</i>qux</p>", ""),
    ("<p><b>a</b><b>b</b></p>", "<p><b>ab</b></p>"),
    ("<p><b>a</b> <b>b</b></p>", ""),
    ("<p><b>a <b>b</b> c</b></p>", "<p><b>a b c</b></p>"),
    ("<p><b>1<i>2</b>3</i>4</p>", "<p><b>1<i>2</i></b><i>3</i>4</p>"),
    ("<p>a<b> </b>b<i></i>c</p>", "<p>a bc</p>"),
    ("<p>a<b><br>b<br></b>c</p>", "<p>a<br><b>b</b><br>c</p>"),
    ("<p><del>a</del>b<del>.c.</del>d ~x~ ~~</p>", ""),
    ("<p><b>*a*</b> <i>_b_</i> <b>a*</b>b <i>*</i></p>", ""),
    ("<p>H<sub>2</sub>O x<sup>2</sup></p>", "<p>H2O x2</p>"),
    ("<p><b>a&nbsp;</b>b</p>", "<p><b>a</b>&nbsp;b</p>"),
    ("<p><b>(a)</b>(b)<i>[c]</i>d</p>", ""),
    ("<p><em>a</em>_b_<em>c</em></p>", ""),
    ("<p>it's <q>x</q> <u>u</u> <small>s</small> <mark>m</mark> <kbd>k</kbd></p>", ""),
    ("<b><p>a</p><p>b</p></b>", "<p><b>a</b></p><p><b>b</b></p>"),
    ("<p>x <i>y</i>, <i>z</i>. <b>w</b>!</p>", ""),
    ("<p>a<br>\n b<br/>- c<br>1. d<br># e<br>&gt; f<br>+ g</p>", ""),
    ("<p>€<b>€5</b>€ é<b>!é!</b>é</p>", ""),
    ("<p>5<b>.0</b>1 <i>a.</i>b</p>", ""),
    ("<p><b>x</b>*y* <i>z</i>**</p>", ""),
    ("<p><s>a<b>b</b></s><i>c</i></p>", ""),
    (r#"<p><b>a <a href="/u">b</a></b>c</p>"#, ""),
];

pub(super) const ESCAPE: &[Case] = &[
    ("<p>1. a</p><p>2) b</p><p>10. c</p><p>1.5 d</p><p>1234567890. e</p>", ""),
    ("<p>a * b _ c ~ d ` e</p>", ""),
    ("<p>snake_case_name and __init__ and _x</p>", ""),
    ("<p>`a` and ``b``</p>", ""),
    ("<p>&amp;copy; &amp;#35; &amp;#x23; AT&amp;T &amp; &amp;nope</p>", ""),
    ("<p>---</p><p>***</p><p>___</p><p>- - -</p><p>* * *</p><p>===</p>", ""),
    ("<p>a<br>| b | c |<br>| - | - |<br>| d | e |</p>", ""),
    ("<p>a | b<br>--- | ---</p>", ""),
    ("<p>x<br>=</p><p>x<br>-</p><p>x<br>:-:</p>", ""),
    ("<p>&gt; q</p><p>a<br>&gt; b</p>", ""),
    ("<p>&lt;div&gt;</p><p>&lt;!-- c --&gt;</p><p>&lt;?php ?&gt;</p><p>&lt;/p&gt; a &lt; b &lt;3</p>", ""),
    ("<p>[a]: b</p><p>[^1]: x [^1]</p>", ""),
    (r#"<p>a\<b>b</b> c\</p><p>\a \* \</p>"#, ""),
    ("<p>    indented</p><p>	x</p>", ""),
    ("<p>#</p><p>##</p><p>####### x</p><p>#a</p>", ""),
    ("<p>-</p><p>+</p><p>*</p><p>1.</p>", ""),
    ("<p>a\n- b\n# c</p>", ""),
    ("<p>**a** __b__ ***c***</p>", ""),
    ("<p>f(*args, **kwargs)</p>", ""),
    ("<p>http://x.y/a_b_c?d=*e*</p>", ""),
    ("<p>![a](b) ![a][b] [a][b] [a](&lt;b&gt;)</p>", ""),
    ("<p>~~a~~ ~b~ ~</p><p>~~~</p>", ""),
    (r#"<p>"quotes" 'single' $x$ {y} @z ^w ;v</p>"#, ""),
    ("<p>|a|b|</p>", ""),
    ("<p>a!</p><p>!<b>x</b></p>", ""),
    ("<h3># a #</h3><h3>b##</h3><h3>1. c</h3><h3>- d</h3><h3>###</h3>", ""),
];

pub(super) const HEADING: &[Case] = &[
    ("<h1>a<br>b</h1>", "<h1>a b</h1>"),
    ("<h2><b>a</b> <code>b</code></h2>", ""),
    ("<h2></h2><h3> </h3><p>x</p>", "<p>x</p>"),
    (r#"<h2><img src="/a.png" alt="x"></h2>"#, ""),
    ("<h2><div>a</div><div>b</div></h2>", "<h2>a b</h2>"),
    ("<h2>a</h2>text<h2>b</h2>", ""),
    ("<blockquote><h2>a</h2><p>b</p></blockquote>", ""),
];

pub(super) const BLOCK: &[Case] = &[
    ("<blockquote><p>a</p><blockquote><p>b</p></blockquote><p>c</p></blockquote>", ""),
    ("<blockquote>a</blockquote><blockquote>b</blockquote>", ""),
    ("<blockquote><p>a<br>b</p></blockquote>", ""),
    ("<p>a</p><hr><hr><p>b</p>", ""),
    ("text <p>a</p> more <b>b</b><div>c</div>", "<p>text</p><p>a</p><p>more <b>b</b></p><p>c</p>"),
    (
        "<figure><blockquote>q</blockquote><figcaption>c</figcaption></figure>",
        "<blockquote><p>q</p></blockquote><p>c</p>",
    ),
    ("<p>&nbsp;</p><p>a</p>", "<p>a</p>"),
    ("<p>a<br><br><br>b<br></p>", "<p>a</p><p>b</p>"),
    ("<section><h2>a</h2><article><p>b</p></article></section>", "<h2>a</h2><p>b</p>"),
];

pub(super) const MALFORMED: &[Case] = &[
    ("<p>a<b>b<p>c</b>d", "<p>a<b>b</b></p><p><b>c</b>d</p>"),
    ("<ul><li>a<ul><li>b</ul><li>c</ul>", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
    (r#"<a href="/u">x<p>y"#, r#"<p><a href="/u">x</a></p><p><a href="/u">y</a></p>"#),
    ("<table><td>a<td>b<tr><td>c<td>d", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"),
    ("<i>a<b>b</i>c</b>", "<p><i>a<b>b</b></i><b>c</b></p>"),
    ("<h2>a<h3>b</h2>c", "<h2>a</h2><h3>b</h3><p>c</p>"),
    ("<p>a</div>b</span>c", "<p>abc</p>"),
];

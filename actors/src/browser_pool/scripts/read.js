// The document as markup, or nothing of it when it is larger than `limit`.
// Lone surrogates would make the answer unreadable on its way.
(limit) => {
  const root = document.documentElement;
  const markup = root ? root.outerHTML : "";
  if (markup.length > limit) return { url: location.href, length: markup.length };
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + "\n" : "";
  return { url: location.href, html: (doctype + markup).toWellFormed() };
}

// Resolves once the document has not changed for `quiet` ms, after `limit` ms at
// the latest. Inline styles are not looked at: an animation would never rest.
(quiet, limit) => new Promise((done) => {
  const attributes = ["class", "hidden", "href", "src", "srcset", "content", "open"];
  const finish = () => {
    observer.disconnect();
    clearTimeout(rest);
    clearTimeout(end);
    done(true);
  };
  const observer = new MutationObserver(() => {
    clearTimeout(rest);
    rest = setTimeout(finish, quiet);
  });
  let rest = setTimeout(finish, quiet);
  const end = setTimeout(finish, limit);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: attributes });
})

// Resolves once something matches. Polling also sees what is no mutation, such
// as `:checked` and `:valid`.
(selector, pause) => new Promise((done) => {
  const look = () => (document.querySelector(selector) ? done(true) : setTimeout(look, pause));
  look();
})

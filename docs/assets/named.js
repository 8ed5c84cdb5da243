// The theme makes a landmark without a name of the copy button of each block of code. It is none.
document.addEventListener("DOMContentLoaded", () => {
  const plain = () => {
    for (const nav of document.querySelectorAll(".md-code__nav:not([role])")) nav.setAttribute("role", "none");
  };
  new MutationObserver(plain).observe(document.body, { childList: true, subtree: true });
  plain();
});

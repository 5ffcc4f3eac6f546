/** Opens the entry that the address names. Without this script, it is scrolled to and stays closed. */

function openNamed() {
  const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(entry instanceof HTMLDetailsElement)) return;
  entry.open = true;
  entry.scrollIntoView();
}

addEventListener("hashchange", openNamed);
openNamed();

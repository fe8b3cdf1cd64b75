() => {
  for (const image of document.querySelectorAll('img')) {
    const box = image.getBoundingClientRect();
    const sides = [box.left + scrollX, box.top + scrollY, box.width, box.height];
    image.setAttribute('data-layout', sides.map(Math.round).join(' '));
  }
  return true;
}

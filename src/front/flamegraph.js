// What a click, Escape and '/' do in a flame graph. Boxes keep their place in data-x and data-w;
// margin, inner and letter are set before.
const boxes = [...document.querySelectorAll('g[data-n]')];
const found = document.getElementById('found');
const of = (box, key) => +box.dataset[key];
function zoom(to) {
  const x0 = of(to, 'x'), w0 = of(to, 'w'), d0 = of(to, 'd'), near = 0.002;
  for (const box of boxes) {
    const x = of(box, 'x'), w = of(box, 'w'), above = of(box, 'd') > d0;
    const inside = x >= x0 - near && x + w <= x0 + w0 + near;
    const below = !above && x <= x0 + near && x + w >= x0 + w0 - near;
    box.style.display = box === to || below || (above && inside) ? '' : 'none';
    const left = below ? margin : margin + (x - x0) / w0 * inner;
    const width = below ? inner : w / w0 * inner;
    const room = width > 3 * letter ? Math.floor(width / letter) - 2 : 0;
    const name = [...box.dataset.n], [rect, text] = [box.children[1], box.children[2]];
    rect.setAttribute('x', left);
    rect.setAttribute('width', width);
    rect.style.opacity = below && box !== to ? 0.5 : 1;
    text.setAttribute('x', left + 3);
    text.textContent = name.length <= room ? box.dataset.n
      : room ? name.slice(0, room).join('') + '…' : '';
  }
}
function search() {
  const words = prompt('Functions that contain (a regular expression):');
  let pattern = null, sum = 0, end = -1;
  try { pattern = words ? new RegExp(words) : null; } catch (error) { alert(error.message); }
  for (const box of boxes) {
    const hit = pattern && pattern.test(box.dataset.n), x = of(box, 'x');
    box.classList.toggle('hit', hit);
    if (hit && x >= end - 0.002) {
      sum += of(box, 'w');
      end = x + of(box, 'w');
    }
  }
  found.textContent = pattern ? words + ': ' + (100 * sum / inner).toFixed(2) + ' %' : '';
}
document.documentElement.addEventListener('click', event => {
  const box = event.target.closest('g[data-n]');
  if (box) zoom(box);
});
window.addEventListener('keydown', event => {
  if (event.key === 'Escape' && boxes.length) zoom(boxes[0]);
  if (event.key === '/') { event.preventDefault(); search(); }
});

for (const box of document.querySelectorAll('.pairs')) {
  const all = JSON.parse(box.dataset.pairs), out = box.querySelector('.out');
  for (const svg of box.querySelectorAll('svg')) {
    const at = JSON.parse(svg.dataset.places), cursor = svg.querySelector('.cur');
    let i = 0, j = 0;
    const size = (n) => (Math.abs(n) / 100).toFixed(2);
    const show = () => {
      const box = {x: at.x[j] - .5, y: at.y[i] - .5, width: at.w[0], height: at.h[0]};
      for (const [name, value] of Object.entries(box)) cursor.setAttribute(name, value);
      const distance = all.d[i][j], gap = all.r[i][j], bold = document.createElement('b');
      bold.textContent = all.w[i] + ' × ' + all.a[j];
      const more = gap === 0 ? 'as both words’ averages suggest'
        : size(gap) + (gap > 0 ? ' closer' : ' farther') + ' than both words’ averages suggest';
      out.replaceChildren(bold, distance === null ? ': not measured'
        : ': distance ' + (distance < 0 ? '−' : '') + size(distance) + ', ' + more);
    };
    const find = (value, starts, width) => starts.findIndex((s) => value >= s && value <= s + width);
    svg.addEventListener('pointermove', (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const a = find(point.x, at.x, at.w[0]), b = find(point.y, at.y, at.h[0]);
      if (a >= 0 && b >= 0) { j = a; i = b; show(); }
    });
    svg.addEventListener('focus', show);
    svg.addEventListener('keydown', (event) => {
      const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -999], End: [0, 999]}[event.key];
      if (!step) return;
      event.preventDefault();
      i = Math.max(0, Math.min(all.w.length - 1, i + step[0]));
      j = Math.max(0, Math.min(all.a.length - 1, j + step[1]));
      show();
    });
  }
}

// Sorts within the participants and within the baselines, and finds teams; what was chosen outlives a new table.
const sorted = {column: '', down: true};
const asked = () => (document.querySelector('#l-search input')?.value ?? '').trim().toLowerCase();
const buttons = () => [...element.querySelectorAll('[data-sort]')];
const compare = place => (one, other) => {
  const [a, b] = [one, other].map(row => row.children[place].textContent);
  const ascending = place ? Number(a) - Number(b) : a.localeCompare(b);
  return sorted.down ? -ascending : ascending;
};
const show = () => {
  const place = buttons().findIndex(button => button.dataset.sort === sorted.column);
  for (const body of element.querySelectorAll('tbody')) {
    const rows = [...body.querySelectorAll('[data-place]')].sort((a, b) => a.dataset.place - b.dataset.place);
    if (place >= 0) rows.sort(compare(place));
    rows.forEach(row => { row.hidden = !row.children[0].textContent.toLowerCase().includes(asked()); });
    body.append(...rows);
    body.hidden = rows.every(row => row.hidden);
  }
  buttons().forEach((button, at) => {
    const order = at !== place ? 'none' : sorted.down ? 'descending' : 'ascending';
    button.closest('th').setAttribute('aria-sort', order);
  });
  element.querySelector('.ae-none').hidden = [...element.querySelectorAll('tbody')].some(body => !body.hidden);
};
element.addEventListener('click', event => {
  const column = event.target.closest('[data-sort]')?.dataset.sort;
  if (!column) return;
  // Best first (names from A), then the other way round, then as published.
  const first = column !== 'team';
  if (sorted.column !== column) Object.assign(sorted, {column, down: first});
  else if (sorted.down === first) sorted.down = !first;
  else sorted.column = '';
  show();
});
document.addEventListener('input', event => { if (event.target.matches('#l-search input')) show(); });
watch('value', show);
show();

// gradio names all pages alike, opens the links of a text in new tabs, and keeps no theme from page to page.
const heading = element.querySelector('h1');
if (heading) document.title = `${heading.innerText.trim()} · AEOLLM`;
element.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest', inline: 'center'});
document.addEventListener('click', event => {
  const link = event.target.closest('.ae-nav a, .ae-title a, .ae-text a');
  if (!link || link.origin !== location.origin) return;
  link.target = '_self';
  const theme = new URLSearchParams(location.search).get('__theme');
  if (!theme) return;
  const query = new URLSearchParams(link.search);
  query.set('__theme', theme);
  link.search = query;
}, true);

() => {
  document.addEventListener('click', event => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    const box = button.closest('section').cloneNode(true);
    box.querySelectorAll('[data-copy]').forEach(copy => copy.remove());
    box.querySelectorAll('details').forEach(details => { details.open = true; });
    const lines = [...box.querySelectorAll('h3, li')].map(line => line.textContent.trim());
    navigator.clipboard.writeText(lines.join('\n')).then(() => { button.textContent = 'copied'; });
  });
  // gradio takes files only where its button is, a small one once files are listed; a browser opens what nobody takes.
  ['dragover', 'drop'].forEach(kind => document.addEventListener(kind, event => {
    if (!event.dataTransfer?.types.includes('Files') || event.target.closest(':is(#runs, #j-files) .upload-container')) return;
    event.preventDefault();
    event.stopPropagation();
    if (kind === 'dragover') return;
    const shown = [...document.querySelectorAll('#runs, #j-files')].find(zone => zone.checkVisibility()) ?? document.querySelector('#runs');
    const input = (event.target.closest('#labels-row') ?? shown)?.querySelector('input[type=file]');
    if (!input) return;
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event('change', {bubbles: true}));
  }, true));
}

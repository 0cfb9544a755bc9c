() => {
  document.addEventListener('click', event => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    const box = button.closest('section').cloneNode(true);
    box.querySelectorAll('[data-copy]').forEach(copy => copy.remove());
    box.querySelectorAll('details').forEach(details => { details.open = true; });
    // What is not shown is the same in the other language.
    box.querySelectorAll(button.matches(':lang(zh)') ? '.ae-en' : '.ae-zh').forEach(other => other.remove());
    const lines = [...box.querySelectorAll('h2, h3, li')].map(line => line.textContent.trim());
    navigator.clipboard.writeText(lines.join('\n')).then(() => {
      button.firstElementChild.hidden = true;
      button.lastElementChild.hidden = false;
    });
  });
  // gradio takes files only where its button is, a small one once files are listed; a browser opens what nobody takes.
  ['dragover', 'drop'].forEach(kind => document.addEventListener(kind, event => {
    if (!event.dataTransfer?.types.includes('Files') || event.target.closest('.upload-container')) return;
    event.preventDefault();
    event.stopPropagation();
    if (kind === 'dragover') return;
    const seen = selector => [...document.querySelectorAll(selector)].find(zone => zone.checkVisibility());
    // Where a tab has places of its own, only these take files; other tabs are about the runs of the first.
    const zone = seen('#runs, #h-file, #b-files, #j-files') ?? (seen('.upload-container') ? null : document.querySelector('#runs'));
    const input = (event.target.closest('#labels-row') ?? zone)?.querySelector('input[type=file]');
    if (!input) return;
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event('change', {bubbles: true}));
  }, true));
}

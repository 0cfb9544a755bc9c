// gradio sends files under their bare names; which question a report answers is in the name of its folder.
const input = element.querySelector('input');
element.addEventListener('click', event => { if (event.target.closest('button')) input.click(); });
input.addEventListener('change', () => {
  const zone = document.querySelector('#j-files input[type=file]');
  if (!zone || !input.files.length) return;
  const carried = new DataTransfer();
  [...input.files].forEach(file => carried.items.add(new File([file], file.webkitRelativePath, {type: file.type})));
  zone.files = carried.files;
  zone.dispatchEvent(new Event('change', {bubbles: true}));
  input.value = '';
});

// Sends the whole list of steps whenever something in it changes; what was open or in use outlives a new list.
const STEP = '[data-step]', PART = ' » ';
let last = '';
const open = new Set();
const list = () => [...element.querySelectorAll(STEP)].map(step => {
  const options = {};
  for (const control of step.querySelectorAll('[data-key]')) {
    const key = control.dataset.key;
    if (control.type === 'checkbox' || key === 'from') options[key] ??= [];
    if (control.type !== 'checkbox' && key !== 'from') options[key] = control.value;
    else if (control.type !== 'checkbox' || control.checked) options[key].push(control.value);
  }
  const {from, ...rest} = options;
  return {do: step.dataset.do, name: step.dataset.name, from: from ?? [], options: rest};
});
const send = act => trigger('click', {steps: list(), act});
element.addEventListener('change', event => { if (event.target.closest(STEP)) send({}); });
element.addEventListener('click', event => {
  const button = event.target.closest('[data-act]');
  if (!button) return;
  const chosen = element.querySelector('[data-kinds]')?.value ?? '';
  send({kind: button.dataset.act, at: Number(button.dataset.at ?? -1), do: chosen});
});
element.addEventListener('focusin', event => { last = event.target.dataset.focus ?? ''; });
element.addEventListener('toggle', event => {
  open[event.target.open ? 'add' : 'delete'](event.target.dataset.focus);
}, true);
// A choice's text cannot hold both languages, nor can a name that is only read aloud.
const speak = () => {
  const tongue = element.matches(':lang(zh)') ? 'zh' : 'en';
  element.querySelectorAll('option[data-zh]').forEach(choice => { choice.textContent = choice.dataset[tongue]; });
  element.querySelectorAll('[data-label-zh]').forEach(named => {
    named.setAttribute('aria-label', tongue === 'zh' ? named.dataset.labelZh : named.dataset.labelEn);
  });
};
const shown = () => {
  speak();
  element.querySelectorAll('details').forEach(fold => { fold.open = open.has(fold.dataset.focus); });
  if (!last || ![document.body, null].includes(document.activeElement)) return;
  const [step] = last.split(PART);
  const inUse = [...element.querySelectorAll('[data-focus]')].filter(place => !place.disabled && !place.matches('details'));
  const place = inUse.find(own => own.dataset.focus === last) ?? inUse.find(own => own.dataset.focus.split(PART)[0] === step);
  (place ?? element.querySelector('[data-kinds]'))?.focus();
};
new MutationObserver(speak).observe(document.documentElement, {attributes: true, attributeFilter: ['lang']});
watch('value', shown);
shown();

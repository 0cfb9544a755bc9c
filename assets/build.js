// Sends the whole list of steps whenever something in it changes; what was open or in use outlives a new list.
const STEP = '[data-step]', PART = ' » ';
// A list that is shown anew goes on counting where it was.
let last = '', turn = Number(element.querySelector('[data-turn]')?.dataset.turn ?? 0);
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
const send = act => trigger('click', {steps: list(), act, turn: ++turn});
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
// gradio changes the list in place, so that a control that somebody has used would keep its own value and the focus.
const renew = () => {
  for (const control of element.querySelectorAll('[data-key]')) {
    if (control === document.activeElement && control.dataset.focus === last) continue;
    if (control.type === 'checkbox') control.checked = control.defaultChecked;
    else if (control.options) control.value = (control.querySelector('[selected]') ?? control.options[0])?.value ?? '';
    else control.value = control.defaultValue;
  }
};
const shown = () => {
  speak();
  // What comes back to an earlier change must not undo a later one that is still on its way.
  const answered = element.querySelector('[data-turn]')?.dataset.turn;
  if (answered && Number(answered) < turn) return;
  renew();
  element.querySelectorAll('details').forEach(fold => { fold.open = open.has(fold.dataset.focus); });
  const at = document.activeElement;
  if (!last || !(at === document.body || at === null || element.contains(at))) return;
  const step = last.split(PART)[0], places = [...element.querySelectorAll('[data-focus]')];
  const free = places.filter(place => !place.disabled && !place.matches('details'));
  const mine = free.find(place => place.dataset.focus === last);
  (mine ?? free.find(place => place.dataset.focus.split(PART)[0] === step) ?? element.querySelector('[data-kinds]'))?.focus();
};
new MutationObserver(speak).observe(document.documentElement, {attributes: true, attributeFilter: ['lang']});
watch('value', shown);
shown();

// A page that is loaded anew, by its visitor or after a break of the connection, is another session to gradio; what the
// page itself keeps tells that it is the same one. A hidden page's timers do not tick, but this one tells of it, too.
const kept = 'aeollm-page';
let page = null;
try { page = sessionStorage.getItem(kept); } catch { /* not to be kept, then */ }
const loadedAnew = Boolean(page);
if (!loadedAnew) {
  page = [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
  try { sessionStorage.setItem(kept, page); } catch { /* as above */ }
}
const tell = () => trigger('click', {page});
if (loadedAnew) tell();
setInterval(() => { if (document.getElementById('j-files')) tell(); }, 5000);

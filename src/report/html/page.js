'use strict';
/* Sorting, filtering, the theme, and opening what a link leads to. Without it the page can be read in full. */
const root = document.documentElement;
const status = document.getElementById('status');
const say = (text) => { status.textContent = text; };

/* The theme: what the system prefers, until the reader chooses. */
const theme = document.getElementById('theme');
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : prefersDark.matches;
const nameTheme = () => { theme.textContent = isDark() ? 'Light theme' : 'Dark theme'; };
theme.hidden = false;
theme.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  nameTheme();
});
prefersDark.addEventListener('change', nameTheme);
nameTheme();

/* A field's key: its first number as the CSV has it, else its words; a void sorts last, whichever way. */
function key(cell) {
  if (!cell) return null;
  const number = cell.querySelector('data');
  if (number) return Number(number.value);
  const text = cell.textContent.trim();
  if (text === '' || cell.classList.contains('void')) return null;
  const plain = text.replace(/,/g, '').replace('\u2212', '-');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : text.toLowerCase();
}

function compare(left, right, sign) {
  if (left === null || right === null) return (left === null) - (right === null);
  if (typeof left === 'number' && typeof right === 'number') return sign * (left - right);
  return sign * String(left).localeCompare(String(right), 'en');
}

function sort(table, head, name) {
  const index = [...head.parentNode.children].indexOf(head);
  const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
  for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [key(row.cells[index]), row]);
  rows.sort((left, right) => compare(left[0], right[0], sign));
  body.append(...rows.map((pair) => pair[1]));
  say('Sorted by ' + name + ', ' + (sign > 0 ? 'ascending' : 'descending') + '.');
}

for (const table of document.querySelectorAll('table.sortable')) {
  for (const head of table.tHead.rows[table.tHead.rows.length - 1].cells) {
    const name = head.firstChild ? head.textContent.trim() : '';
    if (name === '') continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => sort(table, head, name));
  }
}

/* A field above a table that hides the rows which do not hold all of its words. */
function filterOf(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 4) return;
  const label = document.createElement('label');
  label.className = 'filter';
  const input = document.createElement('input');
  input.type = 'search';
  const count = document.createElement('span');
  count.className = 'soft';
  label.append('Filter rows ', input, ' ', count);
  let texts = null;
  input.addEventListener('input', () => {
    /* Read when they are first asked for: a large table would hold up the page. */
    texts ??= rows.map((row) => row.textContent.toLowerCase());
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, index) => {
      row.hidden = !words.every((word) => texts[index].includes(word));
      if (!row.hidden) shown += 1;
    });
    count.textContent = words.length ? shown + ' of ' + rows.length : '';
    say(shown + ' of ' + rows.length + ' rows.');
  });
  table.closest('.scroll').before(label);
}
document.querySelectorAll('table.filtered').forEach(filterOf);

/* What a link leads to may be folded away. */
function open() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id && document.getElementById(id);
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  target.scrollIntoView();
  const focus = target.matches('details') ? target.querySelector('summary') : target;
  focus.focus({ preventScroll: true });
}
addEventListener('hashchange', open);
/* A link to the place where the reader already is changes no hash. */
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.getAttribute('href') === location.hash) open();
});
open();

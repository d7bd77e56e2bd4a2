// The live part of the pages. The server draws: the script fetches the page anew as a document and
// moves what changed. It makes no HTML of text, and answers nothing.
// RATIONALE.md, "Why does the console's script fetch pages as documents?".

const byID = (root: Document, id: string): HTMLElement | null => root.getElementById(id);

/** Fetches a page as an inert document: its scripts do not run. */
function fetchPage(path: string): Promise<Document> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", path);
    request.responseType = "document";
    request.timeout = 15000;
    request.onload = () => {
      const page = request.response as Document | null;
      if (request.status === 200 && page && byID(page, "badge")) resolve(page);
      else reject(new Error("status " + request.status));
    };
    request.onerror = request.ontimeout = () => reject(new Error("no answer"));
    request.send();
  });
}

/** Puts the content of a place of the new page into ours. */
function replace(id: string, page: Document): void {
  const ours = byID(document, id), theirs = byID(page, id);
  if (ours && theirs) ours.replaceChildren(...Array.from(theirs.childNodes, (n) => document.importNode(n, true)));
}

/** Whether a person is at work in a card: its words must not vanish under the fingers. */
const busy = (card: Element): boolean =>
  card.contains(document.activeElement) || Array.from(card.querySelectorAll("textarea")).some((t) => t.value !== t.defaultValue);

/** An ended card keeps its place, so that no other card moves under a finger that is about to press. */
function close(card: HTMLElement): void {
  if (card.classList.contains("ended")) return;
  const held = card.contains(document.activeElement);
  card.style.minHeight = card.offsetHeight + "px";
  card.classList.add("ended");
  card.querySelectorAll("form, details").forEach((f) => f.remove());
  const note = document.createElement("p");
  note.className = "row";
  note.tabIndex = -1;
  note.textContent = "This ask has ended.";
  card.prepend(note);
  if (held) note.focus();
}

/** Puts the new and changed cards in their places. */
function updateCards(page: Document): void {
  const list = byID(document, "cards")!;
  const fresh = new Map<string, HTMLElement>();
  byID(page, "cards")!.querySelectorAll<HTMLElement>("article").forEach((a) => fresh.set(a.id, a));
  let changed = 0;
  list.querySelectorAll<HTMLElement>("article").forEach((old) => {
    const next = fresh.get(old.id);
    fresh.delete(old.id);
    if (!next) close(old);
    else if (next.dataset.rev !== old.dataset.rev && !busy(old)) old.replaceWith(document.importNode(next, true));
  });
  fresh.forEach((card) => {
    list.append(document.importNode(card, true));
    changed++;
  });
  ["count", "pages", "queued", "history"].forEach((id) => replace(id, page));
  byID(document, "none")!.hidden = list.querySelector("article:not(.ended)") !== null;
  const waiting = byID(document, "count")!.textContent ?? "0";
  document.title = (waiting === "0" ? "" : "(" + waiting + ") ") + "Waiting · Callgate";
  if (changed > 0) {
    const said = document.createElement("p");
    said.className = "said";
    said.textContent = changed === 1 ? "A new ask waits." : changed + " new asks wait.";
    byID(document, "said")!.replaceChildren(said);
  }
}

/** What the page keeps up to date: its asks, its rows, or only the number of waiting asks. */
const live = document.body.dataset.live;

function update(page: Document): void {
  replace("badge", page);
  byID(document, "badge")!.hidden = byID(page, "badge")!.hidden;
  if (live === "asks") updateCards(page);
  const rows = byID(document, "rows");
  if (live === "calls" && rows && !rows.contains(document.activeElement)) replace("rows", page);
}

let fetching = false;
let again = false;

/** Fetches at once, and once more after whatever changed meanwhile. */
async function refresh(): Promise<void> {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  try {
    do {
      again = false;
      update(await fetchPage(location.pathname + location.search));
      if (live !== "asks") await new Promise((done) => setTimeout(done, 1000)); // many calls make few fetches
    } while (again);
    byID(document, "lost")!.hidden = true;
  } catch {
    byID(document, "lost")!.hidden = false;
  } finally {
    fetching = false;
  }
}

if (live) {
  let events: EventSource;
  const listen = () => {
    events = new EventSource("/events");
    events.addEventListener("asks", () => void refresh());
    if (live === "calls") events.addEventListener("calls", () => void refresh());
    events.onerror = () => {
      byID(document, "lost")!.hidden = false;
      // The browser connects again by itself unless it was refused.
      if (events.readyState === EventSource.CLOSED) setTimeout(listen, 30_000);
    };
  };
  listen();
  // A page kept by the browser holds its stream, and a session has a few.
  addEventListener("pagehide", () => events.close());
  addEventListener("pageshow", (e) => {
    if (e.persisted) location.reload();
  });
}

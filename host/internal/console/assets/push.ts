// The script of the page about messages: it subscribes this browser and puts the subscription into
// the form. It makes no HTML.

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

async function subscribe(key: string): Promise<PushSubscription> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) throw new Error("This browser has no push messages.");
  if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser may not show messages of this address. Allow them in its settings, then try again.");
  await navigator.serviceWorker.register("/worker.js");
  const ready = await navigator.serviceWorker.ready;
  return ready.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
}

document.querySelectorAll<HTMLFormElement>("form[data-subscribe]").forEach((form) => {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const problem = form.querySelector<HTMLElement>("[data-problem]")!;
    problem.hidden = true;
    subscribe(form.dataset.subscribe ?? "").then((made) => {
      (form.elements.namedItem("subscription") as HTMLInputElement).value = JSON.stringify(made.toJSON());
      form.submit();
    }).catch((error: unknown) => {
      problem.lastElementChild!.textContent = error instanceof DOMException || !(error instanceof Error) ? "This browser could not subscribe. Nothing was sent." : error.message;
      problem.hidden = false;
    });
  });
});

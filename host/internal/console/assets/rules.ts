// The progress of a simulation. The form works without it: then the page comes when it is done.

/** Has the server try the form's change on past calls; the page of the form then comes at once. */
function simulate(form: HTMLFormElement, bar: HTMLProgressElement | null): Promise<void> {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/rules/effect");
    request.timeout = 15000;
    request.onprogress = () => {
      const line = request.responseText.trimEnd().split("\n").pop() ?? "";
      if (!bar || !line.startsWith("{")) return;
      const now = JSON.parse(line) as { judged: number; total: number };
      if (now.total > 0) {
        bar.max = now.total;
        bar.value = now.judged;
      }
    };
    request.onloadend = () => done(); // whatever came, the form's page says it
    const body = new URLSearchParams();
    new FormData(form).forEach((value, name) => body.append(name, String(value)));
    request.send(body);
  });
}

document.querySelectorAll<HTMLFormElement>("form[data-effect]").forEach((form) => {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const bar = form.querySelector("progress");
    const button = form.querySelector("button");
    if (bar) bar.hidden = false;
    if (button) button.disabled = true;
    void simulate(form, bar).then(() => form.submit());
  });
});

window.addEventListener("pageshow", () => {
  document.querySelectorAll<HTMLButtonElement>("form[data-effect] button").forEach((b) => (b.disabled = false));
});

// The script of the pages that want a passkey. The server says what is to be signed; the script asks
// the device, puts its answer into the form and sends it. It makes no HTML.

function told(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") {
    return "The device did not confirm it, or took too long. Nothing was sent; try again.";
  }
  if (name === "InvalidStateError") {
    return "This device has a passkey here already.";
  }
  return "This browser could not use a passkey. Nothing was sent.";
}

async function ask(form: HTMLFormElement): Promise<Credential | null> {
  if (form.dataset.create !== undefined) {
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(form.dataset.create));
    return navigator.credentials.create({ publicKey: options });
  }
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.get ?? ""));
  return navigator.credentials.get({ publicKey: options });
}

document.querySelectorAll<HTMLFormElement>("form[data-get], form[data-create]").forEach((form) => {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const problem = form.querySelector<HTMLElement>("[data-problem]")!;
    problem.hidden = true;
    ask(form).then((made) => {
      const into = form.elements.namedItem(form.dataset.into ?? "") as HTMLInputElement;
      into.value = JSON.stringify((made as PublicKeyCredential).toJSON());
      form.submit();
    }).catch((error: unknown) => {
      problem.lastElementChild!.textContent = told(error);
      problem.hidden = false;
    });
  });
});

// Shows push messages, and opens the console at the ask. A message has the ask's id alone, or tells of
// an alarm.

const scope = self as unknown as ServiceWorkerGlobalScope;

scope.addEventListener("push", (event) => {
  let id = "";
  let alarm = false;
  try {
    const said = event.data?.json();
    alarm = said.alarm === true;
    if (typeof said.ask === "string" && /^[a-z0-9]{1,64}$/i.test(said.ask)) id = said.ask;
  } catch {
    // A message without an id still tells that a call waits.
  }
  if (alarm) {
    event.waitUntil(scope.registration.showNotification("A hook does not check its calls", { body: "An agent may run calls unchecked. See callgate agents.", icon: "/assets/icon.svg", tag: "callgate-hook" }));
    return;
  }
  event.waitUntil(scope.registration.showNotification("A call waits for you", { body: "Open Callgate to see and answer it.", icon: "/assets/icon.svg", tag: id || "callgate", data: id }));
});

scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = event.notification.data ? "/#ask-" + event.notification.data : "/";
  event.waitUntil(scope.clients.matchAll({ type: "window" }).then((open) => {
    const shown = open.find((c) => "navigate" in c);
    return shown ? shown.focus().then((c) => c.navigate(path)) : scope.clients.openWindow(path);
  }));
});

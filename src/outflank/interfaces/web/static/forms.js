// Forms that are sent to the API; what the API answers is shown as text.

export const byId = (id) => document.getElementById(id);

export function say(place, text, kind) {
  place.className = kind;
  place.textContent = text ? text[0].toUpperCase() + text.slice(1) : "";
}

/** The API's answer; an Error with its one sentence if it refused. */
export async function send(path, options) {
  let answer;
  try {
    answer = await fetch(path, { method: "POST", ...options });
  } catch {
    throw new Error("The league cannot be reached; look at your connection and try again.");
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(content.error ?? `The league answered with status ${answer.status}.`);
  return content;
}

/** What goes with an entrant's requests. */
export const withKey = (key) => ({ Authorization: `Bearer ${key.trim()}` });

/** The first field that is missing or wrong is named and gets the focus. */
function complete(form, place) {
  for (const field of form.elements) {
    if (field.willValidate && !field.checkValidity()) {
      const name = form.querySelector(`label[for="${field.id}"]`).firstChild.textContent.trim();
      say(place, `${name}: ${field.validationMessage}`, "fault");
      field.focus();
      return false;
    }
  }
  return true;
}

/** Runs a form's work once at a time; its faults are told in its message. */
export function onSubmit(form, place, work) {
  const button = form.querySelector("button[type=submit]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    say(place, "", "message");
    if (!complete(form, place)) return;
    button.disabled = true;
    try {
      await work();
    } catch (fault) {
      say(place, fault.message, "fault");
    } finally {
      button.disabled = false;
    }
  });
}

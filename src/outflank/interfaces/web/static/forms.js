// Forms that are sent to the API; its response is shown as text.

export const byId = (id) => document.getElementById(id);

export function say(place, text, kind) {
  place.className = kind;
  place.textContent = text ? text[0].toUpperCase() + text.slice(1) : "";
}

/** The API's response; an Error with its sentence if it refused. */
export async function send(path, options) {
  let answer;
  try {
    answer = await fetch(path, { method: "POST", ...options });
  } catch {
    throw new Error("The league cannot be reached; check your connection and try again.");
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(content.error ?? `The league responded with status ${answer.status}.`);
  return content;
}

/** Headers of an entrant's requests. */
export const withKey = (key) => ({ Authorization: `Bearer ${key.trim()}` });

/** Names and focuses the first field that is missing or invalid. */
function complete(form, place) {
  for (const field of form.elements) {
    if (field.willValidate && !field.checkValidity()) {
      const name = form.querySelector(`label[for="${field.id}"]`).firstChild.textContent.trim();
      say(place, `${name}: ${field.validationMessage}`, "error");
      field.focus();
      return false;
    }
  }
  return true;
}

/** Runs a form's work once at a time; errors are shown in its message. */
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
    } catch (error) {
      say(place, error.message, "error");
    } finally {
      button.disabled = false;
    }
  });
}

// Each block of code gets a button that copies it without the prompts of Python.
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      const text = block.querySelector("pre").textContent;
      // From a Python session only the typed lines are copied.
      const typed = text.split("\n").filter((line) => /^(>>>|\.\.\.)( |$)/.test(line));
      try {
        await navigator.clipboard.writeText(typed.length ? typed.map((line) => line.slice(4)).join("\n") : text.trimEnd());
        button.textContent = "copied";
      } catch {
        button.textContent = "not allowed";
      }
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
    block.append(button);
  }
});

/** A text such as a payload, formatted if it is JSON, with a button that copies all of it as it was sent. */
import type { Child } from "hono/jsx";
import { ScrollArea } from "./display";
import { indented } from "./json";
import { A, Say } from "./mount";

/** A longer text would make the page too large. The download has all of it. */
const SHOWN_CHARACTERS = 40_000;

interface CodeBlockProps {
  title: Child;
  id: string;
  text: string;
  /** The page that sends the whole text, and the name of its file. */
  download?: { to: string; file: string };
}

export function CodeBlock({ title, id, text, download }: CodeBlockProps) {
  const shown = indented(text);
  const isWhole = shown.length <= SHOWN_CHARACTERS;
  return (
    <>
      <div class="head">
        <h2 id={id}>{title}</h2>
        <span class="row">
          {isWhole && (
            <button type="button" class="button quiet" data-copy-from={`${id}-text`} hidden>
              <Say of="copy.submit" />
            </button>
          )}
          {download && (
            <A to={download.to} download={download.file} class="button quiet">
              <Say of="portal.download" />
            </A>
          )}
        </span>
      </div>
      {/* A landmark needs a name of its own: the card has that of the heading. */}
      <span id={`${id}-kind`} hidden>
        Text
      </span>
      <ScrollArea labelledBy={`${id} ${id}-kind`}>
        <pre id={`${id}-text`}>{isWhole ? shown : shown.slice(0, SHOWN_CHARACTERS)}</pre>
      </ScrollArea>
      {!isWhole && (
        <p class="hint">
          <Say of={download ? "portal.rest" : "portal.noRest"} />
        </p>
      )}
    </>
  );
}

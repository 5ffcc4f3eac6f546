/** `postern types`: writes the event types of the tenant as TypeScript or as a document. */
import type { Command } from "./command";
import { EXIT, usage } from "./failure";
import { print, writeText } from "./output";

const FORMATS = ["typescript", "openapi", "asyncapi", "json"] as const;

export const types: Command = {
  summary: "Write the types of the payloads of events",
  details:
    "TypeScript is the interface PosternEvents, for verifyDelivery of postern/verify. Run it in the\n" +
    "build, or commit the file. The key needs webhook.read.",
  options: {
    format: { value: FORMATS.join("|"), help: "typescript unless given" },
    out: { value: "FILE", help: "standard output unless given" },
  },
  run: async ({ args, options, json, client }) => {
    if (args.length > 0) throw usage("Takes no arguments: name the file with --out.");
    const format = FORMATS.find((known) => known === (options.format ?? "typescript"));
    if (format === undefined) throw usage(`--format is ${FORMATS.join(", ")}.`);
    const text = await client().eventTypes.export({ format });
    if (options.out === undefined) {
      process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
      return EXIT.ok;
    }
    writeText(options.out, text, 0o666);
    print(json, { file: options.out, format }, `Wrote ${options.out}.`);
    return EXIT.ok;
  },
};

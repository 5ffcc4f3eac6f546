/** Marks the words of code with classes, when the pages are built; docs.css gives them colours. */
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import csharp from "highlight.js/lib/languages/csharp";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import php from "highlight.js/lib/languages/php";
import plaintext from "highlight.js/lib/languages/plaintext";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";

/** By the names that pages give them, after the three backticks. */
const LANGUAGES = {
  cs: csharp,
  go,
  ini,
  java,
  js: javascript,
  json,
  nginx,
  php,
  py: python,
  rb: ruby,
  sh: bash,
  text: plaintext,
  toml: ini,
  ts: typescript,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

/** The code as HTML. Throws for a language that is not listed here. */
export function highlighted(code: string, language: string): string {
  if (!Object.hasOwn(LANGUAGES, language)) throw new Error(`code in "${language}", which is not highlighted`);
  return highlighter.highlight(code, { language }).value;
}

/**
 * The verifiers that the documentation shows in other languages. In one file, because two programs that Go builds at
 * the same time both compile its standard library.
 */
import { describe } from "vitest";
import { deliveries } from "./snippets/deliveries.ts";
import { tokens } from "./snippets/tokens.ts";

describe("of deliveries", deliveries);
describe("of tokens", tokens);

/** Reads every source once, and fails where a promise is forgotten or something is too long to read. */
import { tooLong } from "./lengths.ts";
import { forgottenPromises } from "./promises.ts";
import { everySource } from "./sources.ts";

everySource((file, project) => [...forgottenPromises(file, project), ...tooLong(file)]);

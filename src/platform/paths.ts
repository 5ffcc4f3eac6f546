/** Where `app.ts` serves the console. APP_URL ends with it, unless another client is used. */
export const CONSOLE_PATH = "/console";

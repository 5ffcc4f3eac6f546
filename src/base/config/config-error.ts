/** The service cannot run with these settings. The message names each bad one and says what it must be. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(readonly problems: readonly string[]) {
    super(problems.join("; "));
  }
}

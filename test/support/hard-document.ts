/** A JSON document that each parser changes which is not meant to: numbers, escapes, repeated names and spaces. */

/** As a publisher sends it. */
export const HARD = String.raw`{ "big" : 12345678901234567890,"huge":1e400,	"tiny":-1E-400,
  "long":0.1000000000000000055511151231257827,"minus":-0, "one":1.0,"cents":19.90,"exp":1E2,"plus":1.5e+3,
  "list":[ 9007199254740993 , [-0.0,1.00] ],"same":1.0,"same":2.0,"nul":"\u0000","lone":"\ud83d","slash":"<\/script>",
  "é":"\u00e9 😀 \u2028 {}[]:,","__proto__":{"n":1e999},"":0.0,"text":"12345678901234567890","2":0,"1":{} }`;

/** In an answer that is made anew: the last of two names counts, names that are numbers come first, digits stay. */
export const REWRAPPED =
  `{"1":{},"2":0,"big":12345678901234567890,"huge":1e400,"tiny":-1E-400,` +
  `"long":0.1000000000000000055511151231257827,"minus":-0,"one":1.0,"cents":19.90,"exp":1E2,"plus":1.5e+3,` +
  String.raw`"list":[9007199254740993,[-0.0,1.00]],"same":2.0,"nul":"\u0000","lone":"\ud83d","slash":"</script>",` +
  `"é":"é 😀 \u2028 {}[]:,","__proto__":{"n":1e999},"":0.0,"text":"12345678901234567890"}`;

/** As large as may be: events of this size are stored in another way. */
export const HARD_AND_LONG = `[${HARD},"${"x".repeat(200_000)}"]`;

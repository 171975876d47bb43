import { severityCode } from '../entries/severity-code.ts'

/**
 * The severity of a text that names no level. Cautious: a word counts where programs put it for themselves (at the start, before a colon, in
 * brackets) or where it says that something went wrong; a word that is denied ("no errors", "errors=0") does not.
 */
type Rule = { severity: number; pattern: RegExp }

const rules: readonly Rule[] = [
  {
    severity: severityCode.CRITICAL,
    pattern:
      /(?:^|[\s[(<|])(?:fatal|panic|emerg(?:ency)?|crit(?:ical)?)\s?(?:error\b|[\])>|]|:)|^thread '[^']*'(?: \(\d+\))? panicked at /i,
  },
  {
    severity: severityCode.CRITICAL,
    pattern:
      /\bkernel (?:panic|bug)\b|\bpanic on cpu\b|\bout of memory\b|\boom-kill|\bsegfault\b|\bsegmentation fault\b|\bstack smashing detected\b|\bdata corruption\b/i,
  },
  { severity: severityCode.ERROR, pattern: /(?:^|[\s[(<|]|==)(?:err(?:or)?|severe)\s?(?:[\])>|]|:|!(?=\s))/i },
  {
    severity: severityCode.ERROR,
    pattern: /(?:Exception|Error)(?=[:\s])(?! Log\b)|Traceback \(most recent call last\)/,
  },
  {
    severity: severityCode.ERROR,
    // Paths, addresses and names of files have such words for other reasons.
    pattern:
      /(?<!\/)\b(?:errors?|failed|failure|failing|could not|cannot|can't|unable to|refused|denied|aborted|crashed)\b(?![/@]|-free\b| logs?\b|\.(?:log|txt|html?|[cm]?[jt]sx?|css|php|py|json|xml|csv|gz)\b|\.[\w-]{1,63}\.[a-z])/i,
  },
  {
    severity: severityCode.WARN,
    pattern:
      /\b(?:warn(?:ing)?|deprecated|timed? ?out(?!=\d| (?:is )?set\b)|retry(?:ing)?|unreachable|invalid|rejected|disconnect(?:ed(?! (?:by|from) user\b)|ing|(?! from\b))|blocked|throttl\w+)\b(?!\.[\w-]{1,63}\.[a-z])/i,
  },
]

/**
 * "0 errors", "no failure", "errors: 0", "failed units: 0", "error=null", "without error"; what a file system does on errors; and what a filter of
 * names does all day: "gravity blocked", "exactly denied", "regex denied".
 */
const denial =
  /\b(?:no|not|0|zero|without|any|never)\s+(?:(?:known|new|more|other|further)\s+)?(?:\w+\s+)?(?:errors?|warnings?|failures?|exceptions?|failed|timeouts?)\b|(?:errors?(?: (?:code|count))?|warnings?|failures?|failed(?: \w+)?|exceptions?|timeouts?|unreachable)["']?\s?[=:]\s?["']?(?:0\b|none\b|null\b|nil\b|false\b|no\b(?!\s[a-z])|""|'')|\berrors=(?:remount-ro|continue|panic)\b|\b(?:gravity|exactly|regex) (?:blocked|denied)\b/gi
/** Cheap to look for, and in every text that has a denial. */
const mayDeny =
  /\b(?:no|not|zero|without|any|never|none|null|nil|false)\b|\b0\b|""|''|errors=|(?:gravity|exactly|regex) /i

/** A text without its denials, which report that nothing is wrong. */
export const withoutDenials = (text: string): string => (mayDeny.test(text) ? text.replace(denial, ' ') : text)

/** A text is only looked at when it has one of these words. */
export const severityWords: readonly string[] = (
  'fatal panic panicked smashing emerg emergency crit critical bug memory oom segfault segmentation corruption err error errors severe exception traceback ' +
  'failed failure failing could cannot can unable refused denied aborted crashed warn warning deprecated timeout timed time retry retrying ' +
  'unreachable invalid rejected disconnect disconnected disconnecting blocked throttling throttled ' +
  // Exceptions of JavaScript, Python, Java and .NET: the tokenizer makes one word of each name.
  'typeerror referenceerror syntaxerror rangeerror valueerror keyerror indexerror nameerror oserror ioerror importerror runtimeerror attributeerror ' +
  'assertionerror connectionerror connectionrefusederror permissionerror filenotfounderror modulenotfounderror timeouterror unicodedecodeerror ' +
  'nullpointerexception illegalstateexception illegalargumentexception runtimeexception ioexception filenotfoundexception sqlexception ' +
  'argumentexception invalidoperationexception nullreferenceexception httprequestexception timeoutexception socketexception outofmemoryerror'
).split(' ')

const lookedAt = 4_096

/** A severity's code, 0 where nothing seems wrong. Looks at the first 4,096 characters. */
export const guessSeverity = (text: string): number => {
  const affirmed = withoutDenials(text.length > lookedAt ? text.slice(0, lookedAt) : text)
  return rules.find(({ pattern }) => pattern.test(affirmed))?.severity ?? 0
}

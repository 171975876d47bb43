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
    pattern: /(?:Exception|Error)(?=[:\s]|\)$|\)\n)(?! Log\b)|Traceback \(most recent call last\)/,
  },
  {
    severity: severityCode.ERROR,
    // Paths, addresses and names of files have such words for other reasons.
    pattern:
      /(?<!\/)\b(?:errors?|failed|failures?|failing|could not|cannot|can't|unable to|refused|denied|aborted|crashed)\b(?![/@]|-free\b|(?<=errors?)-[a-z]| logs?\b|\.(?:log|txt|html?|[cm]?[jt]sx?|css|php|py|json|xml|csv|gz)\b|\.[\w-]{1,63}\.[a-z])/i,
  },
  {
    severity: severityCode.ERROR,
    // A state in capitals, unless it is left or denied, and what a scanner for malware found in a file.
    pattern:
      /(?<!\b(?:[Ll]eaving|[Ll]eft|[Ff]rom|[Nn]o|[Nn]ot|[Cc]lear(?:ed|ing)?) )\bFAULT(?:ED)?\b(?!\s?[:=]\s?(?:0|[Nn]o(?:ne)?|[Ff]alse|[Cc]lear)\b)|: [\w.-]*[\w][.-][\w.-]* FOUND(?=\n|$)/,
  },
  {
    severity: severityCode.WARN,
    pattern: /\bDEGRADED\b(?!\s?[:=]\s?(?:0|[Nn]o(?:ne)?|[Ff]alse)\b)/,
  },
  {
    severity: severityCode.WARN,
    pattern:
      /\b(?:warn(?:ing)?|deprecated|violations?|(?:attack|break-?in|hacking) (?:detected|attempts?)|not (?:allowed|permitted)|does(?:n't| not) match|too many|timed? ?out(?!=\d| (?:is )?set\b)|retry(?:ing)?|unreachable|invalid|rejected|disconnect(?:ed(?! (?:by|from) (?:user\b|[\da-f.:]+ port \d))|ing|(?! from\b))|blocked|throttl\w+)\b(?!\.[\w-]{1,63}\.[a-z])/i,
  },
]

/** Values after the name of a problem that did not occur: `errors=0`, `rejected: 0.00%`, `"failed": false`, `"errors": []`. */
const absent = String.raw`["']?\s?[=:]\s?["']?(?:0(?:\.0+)?\b(?![.,]\d)|(?:none|null|nil)\b(?!\s(?:pointer|value|reference|object|byte|character)\b)|false\b|no\b(?!\s[a-z])|""|''|\[\s?\])`

/** A count of zero, not the number of a thing or the end of a version: "disk 0 failed", "ring gfx_0.0.0 timeout". */
const zero = String.raw`(?<![.\w]|\b(?:disk|drive|slot|port|bay|psu|fan|cpu|core|gpu|node|channel|device|unit|bank|socket|lane|controller|adapter|enclosure|phy|link|array|volume|pool|partition|replica|shard|worker|thread|rank|interface)[ #]{1,2})0`

const denials: readonly string[] = [
  // "0 errors", "no failure", "without error", "no warnings or errors", "none failed", "0 of 12 backups failed".
  String.raw`\b(?:no|not|${zero}|zero|without|any|never|none)\s+(?:of\s+\d+\s+)?(?:(?:known|new|more|other|further)\s+)?(?:(?:\w+|(?:errors?|warnings?|failures?|issues?|problems?)\s+(?:or|and))\s+)?(?:errors?|warnings?|failures?|exceptions?|failed|timeouts?|violations?|attacks?(?: (?:detected|attempts?))?)\b`,
  String.raw`(?:errors?(?: (?:code|count|rate))?|warnings?|failures?|failed(?: \w+)?|exceptions?|timeouts?|violations?|unreachable|rejected|refused|denied|invalid|blocked)${absent}`,
  String.raw`\b(?:${zero}|zero|none)\s+(?:rejected|refused|denied|blocked|invalid|unreachable)\b`,
  // A task that had nothing to do.
  String.raw`\b(?:cannot|could not|failed to) \w+: [^\n]{0,200}\bno (?:updates|upgrades|changes|new version) (?:are )?available\b`,
  // The reaction of a file system to errors, and the ordinary work of a filter of names.
  String.raw`\berrors=(?:remount-ro|continue|panic)\b`,
  String.raw`\b(?:gravity|exactly|regex) (?:blocked|denied)\b`,
  // The end of a session.
  String.raw`\b(?:client|player|user) \S{1,128} disconnected(?=\.?\s*(?:$|\n))`,
  String.raw`\bdisconnected: logged out\b|\bdisconnected from bus\b|\bAP-STA-DISCONNECTED\b`,
  // Parts of the kernel, by their names.
  String.raw`\b(?:correctable errors collector|error record serialization|split lock detection:.*)`,
  // Commands of cron and sudo, and descriptions of units that systemd starts and stops: they mention problems without reporting one.
  String.raw`\(\S{1,64}\) CMD \(.*|\bUSER \S{1,64} pid +\d{1,9} cmd .*|(?<=\bCOMMAND=).+`,
  String.raw`\bsystemd(?:\[\d{1,9}\])?: (?:Starting|Started|Finished|Stopping|Stopped|Listening on|Closed|Mounting|Mounted|Unmounting|Unmounted|Created slice|Removed slice|Set up) .*`,
]
const denial = new RegExp(denials.join('|'), 'gi')
/** Cheap to look for, and in every text that has a denial. */
const mayDeny =
  /\b(?:no|not|zero|without|any|never|none|null|nil|false)\b|\b0\b|""|''|\[\s?\]|errors=|(?:gravity|exactly|regex) |disconnected|collector|serialization|split lock|\bcmd |command=|systemd/i

/** A text without its denials, which report that nothing is wrong. */
export const withoutDenials = (text: string): string => (mayDeny.test(text) ? text.replace(denial, ' ') : text)

/** A text is only looked at when it has one of these words. */
export const severityWords: readonly string[] = (
  'fatal panic panicked smashing emerg emergency crit critical bug memory oom segfault segmentation corruption err error errors severe exception traceback ' +
  'failed failure failing could cannot can unable refused denied aborted crashed warn warning deprecated timeout timed time retry retrying ' +
  'failures violation violations attack attempt allowed permitted match many fault faulted degraded found unreachable invalid rejected disconnect disconnected disconnecting blocked throttling throttled ' +
  // Exceptions of JavaScript, Python, Ruby, Java and .NET: the tokenizer makes one word of each name.
  'typeerror referenceerror syntaxerror rangeerror valueerror keyerror indexerror nameerror oserror ioerror importerror runtimeerror attributeerror ' +
  'assertionerror connectionerror connectionrefusederror permissionerror filenotfounderror modulenotfounderror timeouterror unicodedecodeerror nomethoderror argumenterror loaderror zerodivisionerror ' +
  'nullpointerexception illegalstateexception illegalargumentexception runtimeexception ioexception filenotfoundexception sqlexception ' +
  'argumentexception invalidoperationexception nullreferenceexception httprequestexception timeoutexception socketexception outofmemoryerror'
).split(' ')

const lookedAt = 4_096

/** A severity's code, 0 where nothing seems wrong. Looks at the first 4,096 characters. */
export const guessSeverity = (text: string): number => {
  const affirmed = withoutDenials(text.length > lookedAt ? text.slice(0, lookedAt) : text)
  return rules.find(({ pattern }) => pattern.test(affirmed))?.severity ?? 0
}

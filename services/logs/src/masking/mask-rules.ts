import { isIPv4 } from 'node:net'
import { addressPatterns, replaceAddresses } from '../anonymize/addresses.ts'
import { isNonName, namePatterns, replaceWrittenName, userKeysPattern } from '../anonymize/usernames.ts'
import { isCardNumber } from './card-number.ts'
import { issuedHint, issuedTokens } from './issued-tokens.ts'
import { looksRandom } from './looks-random.ts'
import { isPlaceholder, type MaskedKind, type Placeholders } from './placeholders.ts'

/**
 * A rule for one form of sensitive data in text. The pattern has no groups, and its match is the value; or two groups: the text before the value,
 * and the value. `mask` returns the replacement of the value, which is the value itself if it only looked sensitive.
 */
export type MaskRule = {
  name: string
  /** A quick check: a text without a match has nothing that the rule applies to. */
  hint: RegExp
  pattern: RegExp
  mask: (value: string, names: Placeholders) => string
}

/** Words that occur in place of a secret and are none. */
const nonSecret = /^(?:null|none|nil|true|false|yes|no|undefined|empty|unset|\*+|x{3,}|-+|<.*>|\[.*|\$\{.*|%s)$/i

const secret =
  (kind: MaskedKind) =>
  (value: string, names: Placeholders): string =>
    nonSecret.test(value) ? value : names.of(kind, value)

/** Closing brackets after an unquoted value are not part of the value. */
const unquoted =
  (mask: MaskRule['mask']): MaskRule['mask'] =>
  (value, names) => {
    if (nonSecret.test(value)) return value
    const [, own = '', end = ''] = /^(.*?)([)\]}>.]*)$/s.exec(value) ?? []
    return own === '' ? value : mask(own, names) + end
  }

const numbered =
  (kind: 'user' | 'host') =>
  (value: string, names: Placeholders): string => {
    if (nonSecret.test(value) || isNonName(value)) return value
    // An address gets the placeholder of an address in any context.
    const addressed = replaceAddresses(value, names)
    return isPlaceholder(addressed) ? addressed : names.of(kind, kind === 'host' ? value.toLowerCase() : value)
  }

/** The separator between a key and its value, in text (`key=value`, `key: value`), JSON, JSON in JSON, Ruby and PHP. */
const separator = String.raw`\\?["']?\s{0,3}(?:=>|[:=])\s{0,3}`

/** A separator is part of the value unless a key, a space or the end follows. */
const partOfValue = String.raw`[,;](?![\s,;"'\])}]|[\w.-]{1,40}\\?["']?\s{0,3}[:=]|$)`
const bareSecret = String.raw`[^\s&,;"'\\](?:[^\s&,;"']|${partOfValue}){0,511}`
const secretHint =
  /(?:pass|pwd|psk|shared|kennwort|contrase|secret|token|key|sid|session|sig|credential|cookie|auth|code)[\w-]{0,40}\\?["']?\s{0,3}(?:[:=]|%3[ad])/i

/** The separator before an unquoted value: after `key= ` comes the next key. In URL encoding `=` is `%3D`. */
const bareSeparator = String.raw`\\?["']?(?:\s{0,3}(?:=>|:)\s{0,3}|\s{1,3}=\s{1,3}|=|%3[ad])`

type Keyed = Pick<MaskRule, 'name' | 'hint' | 'mask'> & { keys: string; bare: string }

/** Rules for a key and its value, quoted in any way or not at all. */
const keyed = ({ name, hint, mask, keys, bare }: Keyed): MaskRule[] => {
  const rule = (before: string, value: string) => ({
    name,
    hint,
    mask,
    pattern: new RegExp(`((?:${keys})${before})(${value})`, 'iu'),
  })
  return [
    rule(String.raw`${separator}\\"`, String.raw`[^"\\]{1,512}`),
    rule(`${separator}"`, String.raw`(?:[^"\\]|\\.){1,512}`),
    rule(`${separator}'`, String.raw`(?:[^'\\]|\\.){1,512}`),
    { ...rule(bareSeparator, bare), mask: unquoted(mask) },
  ]
}

const passwordKeys = String.raw`password|passwd|passphrase|passcode|(?<![a-z])pass|(?<![a-z])pwd(?!\s{0,3}[:=]\s{0,3}["']?/)|passwort|kennwort|contraseña|client[_-]?secret|(?<![a-z])(?:wpa_?)?psk`
const tokenKeys =
  'api[_-]?(?:key|token|secret)|(?:access|auth|refresh|id|session|bearer|csrf|xsrf)[_-]?token|(?:secret|access|private|encryption|license|signing|shared)[_-]?key|app[_-]?secret|aws[_-]?secret[a-z_]{0,20}|set-cookie'
const perhapsKeys =
  'token|secret|key|sid|session(?:[_-]?id)?|signature|sig|credentials?|cookie|auth|[a-z0-9_-]{0,20}sessionid|code'

const hostKeys =
  'host|hostname|host_name|host\\.name|rhost|remote_?host|src_?host|dst_?host|dest_?host|peer_?host|computer_?name|machine_?name|node_?name'

/** Requires the whole name or address: otherwise a part would remain visible. An e-mail address is matched as such. */
const wholeName = String.raw`(?![\p{L}\p{N}_.$+\\-]|@[\p{L}\p{N}-]{1,63}\.)`
/** Browsers write versions of four numbers. After other words such a version is masked, since it may be an address. */
const beforeVersion = '(?<!(?:Chrome|Chromium|CriOS|Edge|EdgA?|OPR|Vivaldi|YaBrowser|SamsungBrowser|Safari|Firefox)/)'

const addressHints: Record<string, RegExp> = {
  '@': /@/,
  ':': /:[^:\s]*:/,
  '-': /[0-9a-f]-[0-9a-f]{2}-/i,
  '.': /[0-9a-f]\.[0-9a-f]{1,4}\.[0-9a-f]/i,
}

const addressMasks: readonly MaskRule[] = addressPatterns.map(({ hint, pattern, replace }) => ({
  name: `address with ${hint}`,
  hint: addressHints[hint] ?? /(?:)/,
  pattern: pattern.source.startsWith('(?<!\\d|') ? new RegExp(beforeVersion + pattern.source, 'iu') : pattern,
  mask: (value, names) => replace(value, names),
}))

const namesHint =
  /us(?:er|r)|login|logname|run_as|acc(?:oun)?t|uid=|sudo|\(to |\) CMD|\/home\/|\bfor |\bby |:\/\/|\[\d{2}\/[A-Za-z]{3}\//i

const nameMasks: readonly MaskRule[] = namePatterns.map(({ pattern }) => ({
  name: 'user',
  hint: namesHint,
  pattern: new RegExp(pattern.source + wholeName, pattern.flags.replace('g', '')),
  mask: (value, names) => replaceWrittenName(value, (own) => numbered('user')(own, names)),
}))

/** A path, or a time as servers write it. */
const pathOrTime = /^(?:~?(?:\/[\w.-]+)+|\d{4}-\d\d-\d\d[T_]\S*)$/

/** Of what follows the mention of a password in a sentence, what a generator or a careful person would have chosen. */
const writtenPassword: MaskRule['mask'] = (value, names) => {
  const isMixed = (/\d/.test(value) && /\p{L}/u.test(value)) || /[^\p{L}\d./:~_-]/u.test(value)
  return isMixed && !pathOrTime.test(value) ? secret('password')(value, names) : value
}

const mentioned = String.raw`\b(?:password|passphrase|passwort|kennwort)\s`
const mentionedHint = /pass(?:word|phrase|wort)|kennwort/i
const isValue = String.raw`(?:for\s(?:the\s)?\S{1,64}\s(?:(?:user|account)\s)?)?(?:(?:(?:was|has been)\s)?(?:set|reset|changed)\sto|is|was|to)\s`

/** Passwords in sentences, as servers print those that they have generated: "A temporary password is generated for root@localhost: …". */
const sentenceMasks: readonly MaskRule[] = [
  {
    name: 'password at the end of a sentence',
    hint: mentionedHint,
    pattern: new RegExp(
      String.raw`(${mentioned}(?:[^\s:;,[\]]{1,64}\s){0,8}[^\s:;,[\]]{1,64}:\s{1,4}["'\x60]?)([^\s"'\x60]{6,256})(?=["'\x60]?[ \t]{0,8}(?:[\r\n]|$))`,
      'iu',
    ),
    mask: writtenPassword,
  },
  {
    name: 'quoted password in a sentence',
    hint: mentionedHint,
    pattern: new RegExp(String.raw`(${mentioned}${isValue}["'\x60])([^"'\x60\r\n]{4,256})(?=["'\x60])`, 'iu'),
    mask: secret('password'),
  },
  {
    name: 'password in a sentence',
    hint: mentionedHint,
    pattern: new RegExp(String.raw`(${mentioned}${isValue})([^\s"'\x60,;]{6,256})`, 'iu'),
    mask: unquoted(writtenPassword),
  },
]

/** Programs that take a password after a short option. */
const shortPasswordOptions = [
  // Database clients take it directly after the letter.
  String.raw`\b(?:mysql|mariadb)[\w-]{0,20}\s(?:[^\n|;&]{0,200}?\s)?-p`,
  String.raw`\bsshpass\s{1,3}-p\s{0,3}`,
  String.raw`\bredis-cli\s(?:[^\n|;&]{0,200}?\s)?-a\s{1,3}`,
]
const passwordQuotes = [`')([^']{1,256}`, `")([^"]{1,256}`, String.raw`)([^\s'"][^\s'"]{0,255}`]

const shortOptionMasks: readonly MaskRule[] = shortPasswordOptions.flatMap((before) =>
  passwordQuotes.map((value) => ({
    name: 'password after a short option',
    hint: /(?:mysql|mariadb|sshpass|redis-cli)/,
    pattern: new RegExp(`(${before}${value})`, 'u'),
    mask: secret('password'),
  })),
)

/** All rules, in order of precedence; extend this table for more. */
export const maskRules: readonly MaskRule[] = [
  {
    name: 'private key',
    hint: /-----BEGIN /,
    // A truncated key ends where its characters end.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\:,]|-(?!-)){0,16384}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?/u,
    mask: secret('private-key'),
  },
  {
    name: 'URL with credentials',
    hint: /:\/\//,
    pattern: /(:\/\/)([^\s/"'<>?#]{1,256})(?=@)/u,
    mask: secret('credentials'),
  },
  {
    name: 'authorization',
    hint: /authorization/i,
    pattern:
      /(\bauthorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:(?:basic|bearer|digest|token|negotiate|apikey)\s{1,3})?)(?!(?:basic|bearer|digest|token|negotiate|apikey)\s)([^\s"',;\\]{4,4096})/iu,
    mask: secret('token'),
  },
  {
    // Any of its values may be a session, whatever its name.
    name: 'cookies of a request',
    hint: /cookie\\?["']?\s{0,3}:/i,
    pattern: /((?<![\w-])cookie\\?["']?\s{0,3}:\s{0,3}\[?\\?["']?)([^\s"'\\;,=[\]]{1,256}=[^\r\n"'\\]{1,4096})/iu,
    mask: secret('token'),
  },
  {
    name: 'bearer',
    hint: /bearer/i,
    pattern: /(\bbearer\s{1,3})((?=[^\s\d]{0,256}\d)[\w+/.~=-]{8,4096})/iu,
    mask: secret('token'),
  },
  ...Object.entries(issuedTokens).map(([name, pattern]) => ({
    name,
    hint: issuedHint,
    pattern,
    mask: secret('token'),
  })),
  ...keyed({ name: 'password', hint: secretHint, mask: secret('password'), keys: passwordKeys, bare: bareSecret }),
  ...keyed({ name: 'token', hint: secretHint, mask: secret('token'), keys: tokenKeys, bare: bareSecret }),
  ...keyed({
    name: 'short token',
    hint: secretHint,
    // Parsers report tokens, too: a word or a number alone is not a secret.
    mask: (value, names) => (/\d/.test(value) && /[a-z]/i.test(value) ? secret('token')(value, names) : value),
    keys: '(?<![a-z])(?:token|secret)',
    bare: String.raw`[\w+/.~-]{4,512}`,
  }),
  ...keyed({
    name: 'perhaps a token',
    hint: secretHint,
    mask: (value, names) => (looksRandom(value) ? names.of('token', value) : value),
    keys: `(?<![a-z])(?:${perhapsKeys})`,
    bare: String.raw`[\w+/=.~-]{12,512}`,
  }),
  ...keyed({
    name: 'short number that grants access',
    hint: /(?:pin|otp|code)\\?["']?\s{0,3}(?:[:=]|%3[ad])/i,
    // A pin of a controller has fewer digits.
    mask: (value, names) => (/^\d{4,10}$/.test(value) ? names.of('password', value) : value),
    keys: '(?<![a-z])(?:t?otp|pin|(?:pin|mfa|2fa|otp|verification|security|access|login|pairing|one[ _-]?time)[ _-]?code)',
    bare: String.raw`\d{4,10}(?![\w-]|\.\w)`,
  }),
  {
    name: 'password on a command line',
    hint: /--[a-z-]{0,21}(?:pass|token|secret|key)/,
    pattern: /(--(?:[a-z]{1,20}-)?(?:password|passwd|pass|token|secret|api-key)\s)([^\s-]\S{0,255})/u,
    mask: secret('password'),
  },
  ...shortOptionMasks,
  {
    name: 'password of curl',
    hint: /curl/,
    pattern: /(\bcurl\s(?:[^\n|;&]{0,400}?\s)?(?:-u\s{0,3}|--user[= ])["']?[^\s:"']{1,128}:)([^\s"']{1,256})/u,
    mask: secret('password'),
  },
  {
    name: 'password in SQL',
    hint: /identified by|password\s{1,3}["']/i,
    pattern:
      /(\b(?:identified by|(?:with |set |encrypted )password(?: for [^\s"']{1,128} =)?)\s{1,3}["'])([^"']{1,256})/iu,
    mask: secret('password'),
  },
  {
    name: 'password in XML',
    hint: /pass|psk|secret|token/i,
    pattern:
      /(<(?:[\w.-]{1,40}:)?[\w.-]{0,40}(?:password|passwd|passphrase|preshared_?key|secret|apikey|token)(?:\s[^<>]{0,200})?>)([^<>\s][^<>]{0,255})(?=<\/)/iu,
    mask: secret('password'),
  },
  ...sentenceMasks,
  {
    name: 'password of mail',
    hint: /auth (?:login|plain)/i,
    pattern: /(\bauth (?:login|plain) )([\w+/]{8,512}={0,2})(?![\w+/])/iu,
    mask: secret('token'),
  },
  ...keyed({
    name: 'host',
    hint: /(?:host|_?name)\\?["']?\s{0,3}(?:[:=]|%3[ad])/i,
    mask: numbered('host'),
    keys: String.raw`(?<![\p{L}\p{N}_.-])(?:${hostKeys})`,
    bare: String.raw`(?![0-9a-f]{0,4}:[0-9a-f]{0,4}:)[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,251}[\p{L}\p{N}_])?(?!@)`,
  }),
  ...keyed({
    name: 'user',
    hint: namesHint,
    mask: numbered('user'),
    keys: String.raw`(?:(?<![\w.])|(?<=%[0-9a-f]{2}))(?:${userKeysPattern})`,
    bare: String.raw`[^\s&,;"'()<>[\]{}|\\=]{1,128}`,
  }),
  ...addressMasks.slice(0, 1),
  ...nameMasks,
  ...addressMasks.slice(1),
  {
    name: 'address in a host name',
    hint: /[a-z]-\d{1,3}-\d{1,3}-/i,
    pattern: /(?<=[a-z]-)\d{1,3}(?:-\d{1,3}){3}(?![\d-])/iu,
    mask: (value, names) => {
      const dotted = value.replaceAll('-', '.')
      return isIPv4(dotted) ? names.of('ip4', dotted) : value
    },
  },
  {
    name: 'card',
    hint: /\d[\d -]{11}\d/,
    pattern: /(?<![\p{L}\p{N}_.-])\d(?:[ -]?\d){12,18}(?![\p{L}\p{N}_.-])/u,
    mask: (value, names) => (isCardNumber(value) ? names.of('card', value) : value),
  },
]

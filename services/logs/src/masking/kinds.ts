import { isIPv4 } from 'node:net'
import { addressPlaces, replaceAddresses } from '../anonymize/addresses.ts'
import { isNobody, namePlaces, replaceWrittenName, userKeysPattern } from '../anonymize/usernames.ts'
import { isCardNumber } from './card-number.ts'
import { issuedHint, issuedTokens } from './issued-tokens.ts'
import { looksRandom } from './looks-random.ts'
import { isPlaceholder, type MaskedKind, type Placeholders } from './placeholders.ts'

/**
 * One way in which something stands in text. The pattern has no groups, and its match is the value, or two: what comes before the value,
 * and the value. `mask` gives what takes the place of the value, which may be the value where it only looked like one.
 */
export type MaskPlace = {
  name: string
  /** A text without a match of this, which is quick to look for, has nothing of the place in it. */
  hint: RegExp
  pattern: RegExp
  mask: (value: string, names: Placeholders) => string
}

/** Words that stand where a secret would and are none. */
const nothing = /^(?:null|none|nil|true|false|yes|no|undefined|empty|unset|\*+|x{3,}|-+|<.*>|\[.*|\$\{.*|%s)$/i

const secret =
  (kind: MaskedKind) =>
  (value: string, names: Placeholders): string =>
    nothing.test(value) ? value : names.of(kind, value)

/** What closes something that was opened before an unquoted value is not of the value. */
const unquoted =
  (mask: MaskPlace['mask']): MaskPlace['mask'] =>
  (value, names) => {
    if (nothing.test(value)) return value
    const [, own = '', end = ''] = /^(.*?)([)\]}>.]*)$/s.exec(value) ?? []
    return own === '' ? value : mask(own, names) + end
  }

const numbered =
  (kind: 'user' | 'host') =>
  (value: string, names: Placeholders): string => {
    if (nothing.test(value) || isNobody(value)) return value
    // An address has the placeholder of an address, wherever it stands.
    const addressed = replaceAddresses(value, names)
    return isPlaceholder(addressed) ? addressed : names.of(kind, kind === 'host' ? value.toLowerCase() : value)
  }

/** Between a key and its value, in text (`key=value`, `key: value`), JSON, JSON in JSON, Ruby and PHP. */
const between = String.raw`\\?["']?\s{0,3}(?:=>|[:=])\s{0,3}`

/** What parts values is of the value where no key, blank or end follows it. */
const partOfValue = String.raw`[,;](?![\s,;"'\])}]|[\w.-]{1,40}\\?["']?\s{0,3}[:=]|$)`
const bareSecret = String.raw`[^\s&,;"'\\](?:[^\s&,;"']|${partOfValue}){0,511}`
const secretHint =
  /(?:pass|pwd|secret|token|key|sid|session|sig|credential|cookie|auth|code)[\w-]{0,40}\\?["']?\s{0,3}(?:[:=]|%3[ad])/i

/** The same before a value without quotes: behind `key= ` comes the next key. In what was encoded for a URL, `=` is `%3D`. */
const betweenBare = String.raw`\\?["']?(?:\s{0,3}(?:=>|:)\s{0,3}|\s{1,3}=\s{1,3}|=|%3[ad])`

type Keyed = Pick<MaskPlace, 'name' | 'hint' | 'mask'> & { keys: string; bare: string }

/** A key and its value, quoted in any way or not at all. */
const keyed = ({ name, hint, mask, keys, bare }: Keyed): MaskPlace[] => {
  const place = (before: string, value: string) => ({
    name,
    hint,
    mask,
    pattern: new RegExp(`((?:${keys})${before})(${value})`, 'iu'),
  })
  return [
    place(String.raw`${between}\\"`, String.raw`[^"\\]{1,512}`),
    place(`${between}"`, String.raw`(?:[^"\\]|\\.){1,512}`),
    place(`${between}'`, String.raw`(?:[^'\\]|\\.){1,512}`),
    { ...place(betweenBare, bare), mask: unquoted(mask) },
  ]
}

const passwordKeys = String.raw`password|passwd|passphrase|passcode|(?<![a-z])pass|(?<![a-z])pwd(?!\s{0,3}[:=]\s{0,3}["']?/)|client[_-]?secret`
const tokenKeys =
  'api[_-]?(?:key|token|secret)|(?:access|auth|refresh|id|session|bearer|csrf|xsrf)[_-]?token|(?:secret|access|private|encryption|license|signing|shared)[_-]?key|app[_-]?secret|aws[_-]?secret[a-z_]{0,20}|set-cookie'
const perhapsKeys =
  'token|secret|key|sid|session(?:[_-]?id)?|signature|sig|credentials?|cookie|auth|[a-z0-9_-]{0,20}sessionid|code'

const hostKeys =
  'host|hostname|host_name|host\\.name|rhost|remote_?host|src_?host|dst_?host|dest_?host|peer_?host|computer_?name|machine_?name|node_?name'

/** The whole name or address: a shorter one would leave the rest of it in the open. An address of mail is one of mail. */
const wholeName = String.raw`(?![\p{L}\p{N}_.$+\\-]|@[\p{L}\p{N}-]{1,63}\.)`
/** Browsers, which write versions of four numbers. Behind other words such a version is masked: it may be an address, and costs little. */
const beforeVersion = '(?<!(?:Chrome|Chromium|CriOS|Edge|EdgA?|OPR|Vivaldi|YaBrowser|SamsungBrowser|Safari|Firefox)/)'

const addressHints: Record<string, RegExp> = {
  '@': /@/,
  ':': /:[^:\s]*:/,
  '-': /[0-9a-f]-[0-9a-f]{2}-/i,
  '.': /[0-9a-f]\.[0-9a-f]{1,4}\.[0-9a-f]/i,
}

const addressMasks: readonly MaskPlace[] = addressPlaces.map(({ hint, pattern, replace }) => ({
  name: `address with ${hint}`,
  hint: addressHints[hint] ?? /(?:)/,
  pattern: pattern.source.startsWith('(?<!\\d|') ? new RegExp(beforeVersion + pattern.source, 'iu') : pattern,
  mask: (value, names) => replace(value, names),
}))

const namesHint =
  /us(?:er|r)|login|logname|run_as|acc(?:oun)?t|uid=|sudo|\(to |\) CMD|\/home\/|\bfor |\bby |:\/\/|\[\d{2}\/[A-Za-z]{3}\//i

const nameMasks: readonly MaskPlace[] = namePlaces.map(({ pattern }) => ({
  name: 'user',
  hint: namesHint,
  pattern: new RegExp(pattern.source + wholeName, pattern.flags.replace('g', '')),
  mask: (value, names) => replaceWrittenName(value, (own) => numbered('user')(own, names)),
}))

/** Programs that take a password behind a letter. */
const passwordLetters = [
  // Clients of databases take it right behind the letter.
  String.raw`\b(?:mysql|mariadb)[\w-]{0,20}\s(?:[^\n|;&]{0,200}?\s)?-p`,
  String.raw`\bsshpass\s{1,3}-p\s{0,3}`,
  String.raw`\bredis-cli\s(?:[^\n|;&]{0,200}?\s)?-a\s{1,3}`,
]
const passwordQuotes = [`')([^']{1,256}`, `")([^"]{1,256}`, String.raw`)([^\s'"][^\s'"]{0,255}`]

const letterMasks: readonly MaskPlace[] = passwordLetters.flatMap((before) =>
  passwordQuotes.map((value) => ({
    name: 'password behind a letter',
    hint: /(?:mysql|mariadb|sshpass|redis-cli)/,
    pattern: new RegExp(`(${before}${value})`, 'u'),
    mask: secret('password'),
  })),
)

/** All that is masked, in the order in which it is looked for at one place: tables for people to extend. */
export const maskPlaces: readonly MaskPlace[] = [
  {
    name: 'private key',
    hint: /-----BEGIN /,
    // One that was cut ends where no key goes on.
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
    // Parsers speak of tokens, too: a word or a number alone is none.
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
  {
    name: 'password on a command line',
    hint: /--[a-z-]{0,21}(?:pass|token|secret|key)/,
    pattern: /(--(?:[a-z]{1,20}-)?(?:password|passwd|pass|token|secret|api-key)\s)([^\s-]\S{0,255})/u,
    mask: secret('password'),
  },
  ...letterMasks,
  {
    name: 'password in SQL',
    hint: /identified by/i,
    pattern: /(\bidentified by ["'])([^"']{1,256})/iu,
    mask: secret('password'),
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
    name: 'address in the name of a host',
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

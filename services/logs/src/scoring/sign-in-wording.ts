import { plainWording } from './plain-wording.ts'
import type { SecurityEventKind } from './security-events.ts'

/** Wordings about sign-ins by outcome; the first that matches counts. Event names such as `LoginFailed` are matched as sentences. */
type SignInWording = { kind: SecurityEventKind; wording: RegExp }

const subject =
  'log-?in|sign-?in|auth|authenticat(?:e|ed|ion|ing)|logon|password|credentials?|username|challenge response'
const failure =
  'fail(?:ed|ure|s|ing)?|invalid|incorrect|wrong|denied|rejected|mismatch|unsuccessful|error|unauthorized|not (?:found|match|valid)'
const beginning = 'fail(?:ed|ure)?|invalid|incorrect|wrong|unauthorized|unsuccessful|denied|rejected|bad|unable to'

const generalFailure = String.raw`\b(?:${subject})\b.{0,60}\b(?:${failure})\b|\b(?:${beginning})\b.{0,40}\b(?:${subject}|user(?:name)?)\b`

/** Sentences whose words are not about sign-ins one by one. */
const particularFailures: readonly string[] = [
  String.raw`\b(?:failed|unable|not allowed) to (?:log|sign)[ -](?:in|on)\b|\b(?:could not|cannot|can't) (?:log|sign)[ -](?:in|on)\b`,
  // More than one, unless none is counted.
  String.raw`\b(?:log-?in|auth(?:entication)?|password) (?:failures|errors)\b(?!\s?[:=]\s?0\b)|\bfailed log-?ins\b(?!\s?[:=]\s?0\b)`,
  String.raw`\bmax(?:imum)? (?:log-?in|auth(?:entication)?) (?:attempts|tries)\b.{0,20}\b(?:exceeded|reached)\b`,
  // Accounts that may not sign in from there, or at all.
  String.raw`\buser \S{1,128} from \S{1,255} not allowed because\b|\buser(?:name)?:? (?:was |is )?denied\b`,
  String.raw`\b(?:log-?in|logon|sign-?in) (?:was |is )?(?:refused|not (?:allowed|permitted))\b|\broot log-?in attempted\b`,
  String.raw`\b(?:username|passwords?|credentials?)\b.{0,40}\b(?:does not|doesn't|do not|don't|did not|didn't) match\b`,
  String.raw`\bfailed keyboard-interactive\S{0,20} for\b`,
  // SIP, a directory's answer to a bind request, mail without encryption, and the remote console of a game.
  String.raw`\b(?:registration|request) (?:'\w{2,12}' )?from .{1,200} failed for\b`,
  String.raw`\bresult tag=97 err=49\b`,
  String.raw`\bauth command used when not advertised\b|\btried to use dis(?:abled|allowed) plaintext auth\b`,
  String.raw`\bbad rcon\b`,
  String.raw`\blog-?in from .{1,200} might not have worked\b`,
]

const wordings: readonly SignInWording[] = [
  {
    kind: 'sign_in',
    wording:
      /\baccepted (?:password|publickey|keyboard-interactive\S*) for\b|\b(?:login|logon|authentication|auth|sign-?in) (?:was )?(?:succe(?:ss(?:ful)?|eded)|ok)\b|\bsuccessful(?:ly)? (?:login|log(?:ged)?[ -]?(?:in|on)|authenticated|authentication|sign(?:ed)?[ -]?in|auth)\b|\b(?:logged|signed) in (?:to \S+ )?successfully\b|\bsession opened for user\b|\buser \S+ (?:has )?logged in\b/i,
  },
  {
    kind: 'unknown_user',
    wording:
      /\b(?:invalid|unknown|illegal|non-?existent) (?:user(?:name)?|account(?: id)?(?! (?:number|type)))\b|\bnon-?existent log-?in\b|\buser(?:name)?\b.{0,40}\b(?:not found|unknown|does not exist|doesn't exist)\b|\bno such user\b|\bcould not retrieve user\b|\b(?:can't|cannot|could not|couldn't) find (?:user|account)\b(?!-)/i,
  },
  {
    kind: 'failed_sign_in',
    wording: new RegExp([generalFailure, ...particularFailures].join('|'), 'i'),
  },
  {
    kind: 'broken_off_sign_in',
    wording:
      /\b(?:disconnected from|connection (?:closed|reset) by) (?:authenticating|invalid) user\b|\blost connection after auth\b/i,
  },
]

/**
 * Event ids of Windows for sign-ins (https://learn.microsoft.com/windows/security/threat-protection/auditing/event-4625 and related pages), in any
 * text form of the event.
 */
const windowsEvent = /\bevent_?(?:id|code)["']?\s*(?:[=:]\s*|>\s*)["']?(?<code>4624|4625|4771|4776)\b/i
const windowsKinds: Readonly<Record<string, SecurityEventKind>> = {
  '4624': 'sign_in',
  '4625': 'failed_sign_in',
  '4771': 'failed_sign_in',
}
/** Event 4776 reports successful checks, too. */
const windowsSuccess = /\bstatus["']?\s*(?:[=:]|>)\s*["']?0x0\b/i

/**
 * Records of Linux's audit daemon (https://github.com/linux-audit/audit-documentation/wiki), underscores replaced. A failed sign-in also has a
 * USER_LOGIN record, which is not counted again.
 */
const auditRecord =
  /\btype=USER (?:AUTH\b.{0,500}\bres=(?<failed>failed)|LOGIN\b.{0,500}\bres=success|ERR\b.{0,500}\bop=PAM:bad (?<unknown>ident))\b/

const ofAudit = (plain: string): SecurityEventKind | undefined => {
  const record = auditRecord.exec(plain)
  if (record?.groups?.unknown) return 'unknown_user'
  return record ? (record.groups?.failed ? 'failed_sign_in' : 'sign_in') : undefined
}

const ofWindows = (text: string): SecurityEventKind | undefined => {
  const code = windowsEvent.exec(text)?.groups?.code
  if (code === '4776') return windowsSuccess.test(text) ? 'sign_in' : 'failed_sign_in'
  return code === undefined ? undefined : windowsKinds[code]
}

/** Paths are removed, because folders and files may have any name. */
const path = /(?:\/{1,3}[\w.,:;%+=[\]-]+){2,}/g

/** A connection that ended before a sign-in, as those of health checks do, whatever failed in it. */
const withoutAttempt = /\bno (?:auth(?:entication)?|log-?in) attempts\b/i

/** The outcome of a sign-in that a text reports, if any. */
export const signInOf = (text: string): SecurityEventKind | undefined => {
  const plain = plainWording(text.includes('/') ? text.replace(path, ' ') : text)
  if (withoutAttempt.test(plain)) return undefined
  return ofWindows(text) ?? ofAudit(plain) ?? wordings.find(({ wording }) => wording.test(plain))?.kind
}

/** Every text about a sign-in contains one of these words. */
export const signInWords: readonly string[] = [
  ...['failed', 'failure', 'fail', 'fails', 'failing', 'invalid', 'incorrect', 'wrong', 'unknown', 'illegal', 'denied'],
  ...[
    'unauthorized',
    'unsuccessful',
    'rejected',
    'bad',
    'unable',
    'nonexistent',
    'such',
    'retrieve',
    'mismatch',
    'found',
    'find',
    'exist',
    'existent',
    'allowed',
    'tag',
  ],
  ...['auth', 'authentication', 'authenticating', 'login', 'signin', 'password', 'credentials', 'accepted', 'opened'],
  ...['success', 'successful', 'successfully', 'succeeded', 'logged', 'loginfailed', 'authenticationfailed'],
  ...['challengeresponsefailed', 'invalidpassword', 'invalidaccountid', '4624', '4625', '4771', '4776'],
]

/** Default accounts of systems and programs, which password lists try first. */
const defaultAccounts: ReadonlySet<string> = new Set(
  [
    'root admin administrator administrador test tester teste testuser guest user info support postmaster webmaster hostmaster abuse sales office',
    'contact service ftp ftpuser anonymous www www-data nobody oracle postgres mysql mssql sa tomcat jenkins git ubuntu debian centos ec2-user pi', // words: allowed
    'backup scanner scan printer nagios zabbix hadoop operator manager superuser demo default ubnt deploy vagrant ansible',
  ].flatMap((line) => line.split(' ')),
)

export const isDefaultAccount = (user: string): boolean => defaultAccounts.has(user.toLowerCase().replace(/@.*$/, ''))

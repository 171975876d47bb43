/** A file renamed by appending an extension, as ransomware does: `plan.docx` becomes `plan.docx.locked`. */
export type RenamedFile = {
  path: string
  /** The extension before the rename, in lower case; empty if there was none. */
  formerExtension: string
  /** Whether the appended extension is one that ransomware uses. */
  isRansomware: boolean
}

/** Extensions that ransomware appends to encrypted files. */
const ransomwareExtensions = new Set(
  (
    'locked lock64 encrypted encrypt encrypted_file enc enc1 crypt crypted crypto cryptolocker cryp1 crypz crinf crjoker ransom ransomed ' +
    'wncry wcry wncryt wnry locky zepto odin thor aesir osiris zzzzz lukitus diablo6 cerber cerber2 cerber3 ecc ezz exx xyz vvv ttt micro ' +
    'xtbl dharma wallet arena phobos eking eight elbie devos gandcrab krab crab ryk ryuk conti lockbit maze revil sodinokibi clop cl0p ' +
    'akira blackcat royal royal_w medusa play hive babyk babuk makop djvu avaddon ragnar egregor netwalker pysa darkside blackbyte blackmatter ' +
    'deadbolt qlocker ech0raix esxiargs pay2key killed'
  ).split(' '),
)

/** Extensions that programs and users append for ordinary reasons. */
const ordinaryExtensions = new Set(
  (
    'bak backup old orig original save saved copy prev previous new tmp temp part partial crdownload download downloading incomplete swp swo ' +
    'log txt gz tgz bz2 xz zst zip rar lz4 gpg asc pgp sig sha256 md5 done processed imported uploaded synced sent ok err error failed deleted removed ' +
    'trash lock pid json xml csv html pdf md yaml yml conf cfg ini dist sample disabled off rej dpkg-old dpkg-new dpkg-dist rpmsave rpmnew'
  ).split(' '),
)

/** Samba's `full_audit`: a prefix, the operation, the result and both names. A failed operation has `fail (...)` in place of `ok`. */
const sambaRename = /\|rename(?:at2?)?\|(?:ok\|)?(?!fail \()(?<from>[^|\n]{1,1000})\|(?<to>[^|\n]{1,1000})$/m
/** Storage systems write both names with an arrow between them. */
const arrowRename = /(?:^|[\s:])(?<from>\/?[^\s:>][^:>\n]{0,1000}?) -> (?<to>[^>,|\n]{1,1000})/

/** Every text that describes a rename has one of these words. */
export const renamedFileWords: readonly string[] = ['rename', 'renameat', 'renameat2', 'renamed']

const mentionsRename = /rename/i
const extension = /\.([a-z][a-z0-9_-]{1,20})$/i

/** The file that a text reports as renamed by appending an extension; undefined for other texts and for ordinary extensions. */
export const renamedFileOf = (text: string): RenamedFile | undefined => {
  if (!mentionsRename.test(text)) return undefined
  const { from = '', to = '' } = (sambaRename.exec(text) ?? arrowRename.exec(text))?.groups ?? {}
  if (from === '' || !to.startsWith(`${from}.`)) return undefined
  const appended = extension.exec(to.slice(from.length).trimEnd())?.[1]?.toLowerCase()
  if (appended === undefined) return undefined
  const isRansomware = ransomwareExtensions.has(appended)
  const formerExtension = extension.exec(from)?.[1]?.toLowerCase() ?? ''
  if (!isRansomware && (formerExtension === '' || ordinaryExtensions.has(appended))) return undefined
  return { path: from, formerExtension, isRansomware }
}

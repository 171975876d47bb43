/**
 * A file of a share that was given a further ending, as programs do that encrypt files for a ransom: `plan.docx` becomes `plan.docx.locked`.
 * `isTelling`: the ending is one that such programs use, and hardly anybody else.
 */
export type RenamedFile = { path: string; formerEnding: string; isTelling: boolean }

/** Endings by which such programs mark what they have encrypted. */
const tellingEndings = new Set(
  (
    'locked lock64 encrypted encrypt encrypted_file enc enc1 crypt crypted crypto cryptolocker cryp1 crypz crinf crjoker ransom ransomed ' +
    'wncry wcry wncryt wnry locky zepto odin thor aesir osiris zzzzz lukitus diablo6 cerber cerber2 cerber3 ecc ezz exx xyz vvv ttt micro mp3ecc ' +
    'xtbl dharma wallet arena phobos eking eight elbie devos gandcrab krab crab ryk ryuk conti lockbit abcd_locked maze revil sodinokibi clop cl0p ' +
    'akira blackcat royal royal_w medusa play hive babyk babuk makop djvu stop avaddon ragnar egregor netwalker pysa darkside blackbyte blackmatter ' +
    'quantum_locked deadbolt qlocker ech0raix esxiargs pay pay2key kill killed'
  ).split(' '),
)

/** Endings that programs and people add to names for reasons of their own. */
const ordinaryEndings = new Set(
  (
    'bak backup old orig original save saved copy prev previous new tmp temp part partial crdownload download downloading incomplete swp swo ' +
    'log txt gz tgz bz2 xz zst zip rar lz4 gpg asc pgp sig sha256 md5 done processed imported uploaded synced sent ok err error failed deleted removed ' +
    'trash lock pid json xml csv html pdf md yaml yml conf cfg ini dist sample disabled off rej dpkg-old dpkg-new dpkg-dist rpmsave rpmnew'
  ).split(' '),
)

const result = String.raw`(?:ok\|)?`
const name = String.raw`(?<from>[^|\n]{1,1000})`
/** Samba's `full_audit`: its prefix, the operation, the result and both names. What failed has another result, which no name has. */
const ofSamba = new RegExp(String.raw`\|rename(?:at2?)?\|${result}(?!fail \()${name}\|(?<to>[^|\n]{1,1000})$`, 'm')
/** File services of storage systems: both names with an arrow between. */
const withArrow = /(?:^|[\s:])(?<from>\/?[^\s:>][^:>\n]{0,1000}?) -> (?<to>[^>,|\n]{1,1000})/

/** Words of which every such text has one. */
export const renamedFileWords: readonly string[] = ['rename', 'renameat', 'renameat2', 'renamed']

const ending = /\.([a-z][a-z0-9_-]{1,20})$/i

/** The renamed file that a text tells of, where its new name is the former one with a further ending. */
export const renamedFileOf = (text: string): RenamedFile | undefined => {
  if (!text.includes('rename') && !text.includes('Rename')) return undefined
  const { from = '', to = '' } = (ofSamba.exec(text) ?? withArrow.exec(text))?.groups ?? {}
  const added = to.slice(from.length).trimEnd()
  const [, suffix] = ending.exec(added) ?? []
  if (from === '' || !to.startsWith(from) || suffix === undefined || !added.startsWith('.')) return undefined
  const isTelling = tellingEndings.has(suffix.toLowerCase())
  const formerEnding = ending.exec(from)?.[1]?.toLowerCase() ?? ''
  if (!isTelling && (formerEnding === '' || ordinaryEndings.has(suffix.toLowerCase()))) return undefined
  return { path: from, formerEnding, isTelling }
}

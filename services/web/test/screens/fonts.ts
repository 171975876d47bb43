import { accessSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'

/** Debian's fonts-dejavu-core, which its Chromium is installed with. Their last version is of 2016. */
const folder = '/usr/share/fonts/truetype/dejavu'
const files = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf']

const isThere = (path: string): boolean => {
  try {
    accessSync(path)
    return true
  } catch {
    return false
  }
}

/** Why the fonts of the references are not on this machine, for the names of skipped tests. */
export const fontsMissing = files.every((file) => isThere(join(folder, file)))
  ? ''
  : `the fonts of fonts-dejavu-core are not in ${folder}`

const families = { 'sans-serif': 'DejaVu Sans', 'system-ui': 'DejaVu Sans', monospace: 'DejaVu Sans Mono' }
const alias = ([family, font]: [string, string]) =>
  `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`
const configuration = (directory: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<dir>${join(directory, 'fonts')}</dir>
<cachedir>${join(directory, 'cache')}</cachedir>
${Object.entries(families).map(alias).join('\n')}
<match target="pattern">
<edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="hinting" mode="assign"><bool>false</bool></edit>
<edit name="hintstyle" mode="assign"><const>hintnone</const></edit>
<edit name="rgba" mode="assign"><const>none</const></edit>
</match>
</fontconfig>
`

/** The environment of a browser that has the fonts of the references and no others. */
export const openFonts = async (): Promise<AsyncDisposable & { environment: Record<string, string> }> => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory.path, 'fonts'))
  for (const file of files) await symlink(join(folder, file), join(directory.path, 'fonts', file))
  const path = join(directory.path, 'fonts.conf')
  await writeFile(path, configuration(directory.path))
  return {
    environment: { FONTCONFIG_FILE: path, HOME: directory.path },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

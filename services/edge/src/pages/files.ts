import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** A file of the build with its compressed forms, all in memory. */
export type StaticFile = { type: string; etag: string; plain: Buffer; encoded: Partial<Record<Encoding, Buffer>> }

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

const suffixes: Record<Encoding, string> = { br: '.br', gzip: '.gz' }

const typeOf = (name: string): string => types[extname(name)] ?? 'application/octet-stream'

const etagOf = (body: Buffer): string => `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`

const readIfExists = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined)

/** The files of a folder by name, each with the compressed forms that lie next to it. */
export const readAssets = (folder: string): Map<string, StaticFile> => {
  const files = new Map<string, StaticFile>()
  if (!existsSync(folder)) return files
  for (const name of readdirSync(folder)) {
    if (Object.values(suffixes).some((suffix) => name.endsWith(suffix))) continue
    const path = join(folder, name)
    const plain = readFileSync(path)
    const encoded: StaticFile['encoded'] = {}
    for (const encoding of ['br', 'gzip'] as const) {
      const body = readIfExists(path + suffixes[encoding])
      if (body) encoded[encoding] = body
    }
    files.set(name, { type: typeOf(name), etag: etagOf(plain), plain, encoded })
  }
  return files
}

/** A page that is made at start: compressed here, since it depends on settings. */
export const compressedPage = (html: string): StaticFile => {
  const plain = Buffer.from(html)
  const encoded = { br: brotliCompressSync(plain), gzip: gzipSync(plain) }
  return { type: typeOf('index.html'), etag: etagOf(plain), plain, encoded }
}

/** The best encoding that `Accept-Encoding` allows (RFC 9110, 12.5.3). */
export const chooseEncoding = ({ encoded }: Pick<StaticFile, 'encoded'>, accepted: string): Encoding | undefined => {
  const allowed = new Set<string>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) allowed.add(name)
  }
  return (['br', 'gzip'] as const).find((encoding) => allowed.has(encoding) && encoded[encoding] !== undefined)
}

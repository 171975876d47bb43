import { basePathOf } from '@trellis/kit/rpc'

/**
 * The path of `EDGE_URL`, under which a proxy serves this installation: removed from requests and put before paths in answers. Requests without it
 * are accepted, too, because some proxies remove it themselves and probes do not know it.
 */
export const createBasePath = (publicUrl: string | undefined) => {
  const base = basePathOf({ origin: publicUrl })
  return {
    base,
    /** The URL of a request without the base. */
    strip: (url: string): string => {
      if (base === '' || !url.startsWith(base)) return url
      const rest = url.slice(base.length)
      if (rest === '') return '/'
      if (rest.startsWith('?')) return `/${rest}`
      return rest.startsWith('/') ? rest : url
    },
    /** A header of an answer with the base before its path. */
    header: (name: string, value: string): string => {
      if (base === '') return value
      if (name === 'set-cookie') return value.replace(/(;\s*path=)\//i, `$1${base}/`)
      if (name === 'location' && value.startsWith('/')) return base + value
      return value
    },
  }
}

export type BasePath = ReturnType<typeof createBasePath>

import type { SecurityEventKind } from './security-events.ts'
import type { WebRequest } from './web-request.ts'

/** A path at which users sign in. Paths that renew or query a sign-in are excluded: they fail for every user whose session has expired. */
const signInPlace =
  /\/(?:[\w-]*(?:log-?_?in|sign-?_?in|logon)[\w.-]*|sessions?|authenticate|auth|xmlrpc\.php)(?:\/(?:token|callback|\d+)?)?$/i

/** Paths of consoles and programs that scanners try on servers which do not have them. */
const soughtPlace = new RegExp(
  [
    String.raw`php-?my-?admin|\bpma\b|\/(?:my)?sql-?(?:admin|manager|web)|adminer|\/administrator\b|\/admin(?:\.php|istration|cp|panel|er)?(?:\/|$)|\/cpanel|\/webadmin|\/whm\b`,
    String.raw`\/wp-(?:admin|login|content|includes|json|config)|\/wordpress\b|xmlrpc\.php|\/joomla|\/drupal|\/magento|\/typo3`,
    String.raw`\/manager\/(?:html|text|status)|\/host-manager|\/jmx-console|\/web-console|\/console\b|\/actuator\b|\/solr\b|\/jenkins\b|\/script$`,
    String.raw`\/owa\b|\/ecp\b|\/autodiscover\b|\/\+cscoe\+|\/remote\/login|\/dana-na\b|\/global-protect\b|\/vpn\b|\/citrix\b|\/sslvpn`,
    String.raw`\/cgi-bin\b|\/hnap1\b|\/boaform\b|\/goform\b|\/setup\.(?:cgi|php)|\/shell\b|\/(?:php)?info\.php|phpinfo|\/server-status|\/\.(?:env|git|svn|aws|ssh|vscode|ds_store)\b`,
    String.raw`\/(?:backup|old|dump|db)\.(?:zip|sql|tar|gz|bak)|\/vendor\/phpunit|\/_ignition|\/_profiler|\/telescope\b|\/swagger`,
  ].join('|'),
  'i',
)

/** Files that a page embeds. A browser requests many at once, so a page with dead links to them looks like a scan. */
const embeddedFile = /\.(?:avif|bmp|css|eot|gif|ico|jpe?g|m?js|map|mp[34]|otf|png|svg|ttf|webm|webp|woff2?)$/i

const refused = new Set([401, 403, 422])
const missing = new Set([400, 404, 405, 410])

/** The kinds of events that a request counts as; most requests count as none. `path` excludes the query string. */
export const kindsOfRequest = ({ method, status }: WebRequest, path: string): SecurityEventKind[] => {
  const isSignIn = method === 'POST' && signInPlace.test(path)
  if (isSignIn && refused.has(status)) return ['failed_sign_in']
  // A successful sign-in is answered by a redirect.
  if (isSignIn && status < 300) return ['sign_in_request']
  if (status === 429) return ['limited_request']
  const isAbsent = missing.has(status)
  if (!isAbsent && status !== 401 && status !== 403) return []
  const kind = isAbsent ? 'missing_page' : 'refused_request'
  if (soughtPlace.test(path)) return [kind, 'sought_place']
  return isAbsent && embeddedFile.test(path) ? [] : [kind]
}

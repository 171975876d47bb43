/**
 * Where records of requests have their status, in the layouts of servers, proxies, balancers and frameworks; `#` represents the status. Other
 * numbers of three digits, such as a length after the user agent, are not a status.
 */
const layouts: readonly string[] = [
  // After the request: with its protocol, without it, and in quotes after a time in brackets.
  String.raw`\bHTTP\/[\d.]+\\?"?\s{1,2}#\b`,
  String.raw`"[a-z]{3,10} \/[^"\\]*\\?" #\b`,
  String.raw`\] "(?:[^"\\]|\\.)*" #\b`,
  String.raw`\] \\"(?:[^"\\]|\\[^"])*\\" #\b`,
  // Under a key, in JSON, in JSON within a string, and in text.
  String.raw`(?<![a-z])(?:(?:downstream|edgeresponse|http_?|response_?)?status|status_?code|response_?code|http_?code)\\?["']?[=: ]{1,3}\\?["']?#\b`,
  // Load balancers of AWS write three durations before the status; CloudFront a method, a host and a path.
  String.raw`(?: -?[\d.]+){3} # (?:\d{3}|-) \d+ \d+ "`,
  String.raw`\t[a-z]{3,10}\t[^\t]*\t[^\t]*\t#\t`,
  // nginx proxy manager; HAProxy after its timers; Squid; gin.
  String.raw` # - [a-z]{3,10} https? \S+ "`,
  String.raw`(?:\/-?\d+){3} # \+?\d+ `,
  String.raw`\b(?:tcp|udp|none)_?[a-z_]{0,40}\/#\b`,
  String.raw`\| {0,3}# \|`,
  // http.sys below IIS: before the site, the reason and the queue.
  String.raw`\bHTTP\/[\d.]+ \S+ \S+ (?:\S+ )?# (?:\d+|-) \w+ \S`,
  // IIS, and programs that write only request and status.
  String.raw` [a-z]{3,10} \/\S* \S+ \d{1,5} (?:\S+ ){1,6}?# \d{1,3} \d+\b`,
  String.raw`\b(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND) \/\S*(?: (?:-|\S*=\S*))? #(?!\S| m?s\b)`,
]

/**
 * Matches records of requests whose status is of a class: 4 for 400 to 499. Finds the status first and then looks behind: a line rarely has a
 * number of that class, but many positions at which a layout could begin.
 */
export const requestsEndingIn = (statusClass: 4 | 5): RegExp => {
  const status = String.raw`${statusClass}\d\d`
  const around = layouts.map((layout) => {
    const [before = '', after = ''] = layout.split('#')
    return `(?<=${before})${status}${after}`
  })
  return new RegExp(`(?=${status})(?:${around.join('|')})`, 'i')
}

/**
 * Where a record of a request has its status, as servers, proxies, balancers and frameworks lay it out; `#` stands for the status. What else has
 * three digits, as a length behind the name of the client's program, is none.
 */
const places: readonly string[] = [
  // Behind the request: with its protocol, without it, and in quotes behind the brackets of a time, whatever it is.
  String.raw`\bHTTP\/[\d.]+\\?"?\s{1,2}#\b`,
  String.raw`"[a-z]{3,10} \/[^"\\]*\\?" #\b`,
  String.raw`\] "(?:[^"\\]|\\.)*" #\b`,
  String.raw`\] \\"(?:[^"\\]|\\[^"])*\\" #\b`,
  // Under a key, in JSON, in JSON in a text, and in words.
  String.raw`(?<![a-z])(?:(?:downstream|edgeresponse|http_?|response_?)?status|status_?code|response_?code)\\?["']?[=: ]{1,3}\\?["']?#\b`,
  // Load balancers of AWS write three durations before it; CloudFront a method, a host and a path.
  String.raw`(?: -?[\d.]+){3} # (?:\d{3}|-) \d+ \d+ "`,
  String.raw`\t[a-z]{3,10}\t[^\t]*\t[^\t]*\t#\t`,
  // nginx proxy manager; HAProxy behind its timers; Squid; gin.
  String.raw` # - [a-z]{3,10} https? \S+ "`,
  String.raw`(?:\/-?\d+){3} # \+?\d+ `,
  String.raw`\b(?:tcp|udp|none)_?[a-z_]{0,40}\/#\b`,
  String.raw`\| {0,3}# \|`,
  // The driver below IIS: before the site, the reason and the queue.
  String.raw`\bHTTP\/[\d.]+ \S+ \S+ (?:\S+ )?# (?:\d+|-) \w+ \S`,
  // IIS, and those who write no more than what was asked for and how it ended.
  String.raw` [a-z]{3,10} \/\S* \S+ \d{1,5} (?:\S+ ){1,6}?# \d{1,3} \d+\b`,
  String.raw`\b(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND) \/\S*(?: (?:-|\S*=\S*))? #(?!\S| m?s\b)`,
]

/**
 * What finds records of requests that ended in a status of a class: 4 for 400 to 499. Looks for the status, and back from there: a line
 * seldom has a number of that kind, and has many places where one of these could begin.
 */
export const requestsEndingIn = (statusClass: 4 | 5): RegExp => {
  const status = String.raw`${statusClass}\d\d`
  const around = places.map((place) => {
    const [before = '', after = ''] = place.split('#')
    return `(?<=${before})${status}${after}`
  })
  return new RegExp(`(?=${status})(?:${around.join('|')})`, 'i')
}

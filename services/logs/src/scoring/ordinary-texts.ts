/** A text that contains a request is never ordinary. */
const request = /(?:^|[\s"'|=:])(?:get|post|put|patch|head|delete|options|connect) \S{1,2000}|\bhttp\/\d/

/**
 * Texts without a request that contain the sign of an attack and are harmless: databases log the statements of their clients, and compilers and
 * runtimes name files by relative paths. In lower case.
 */
const ordinary: Readonly<Record<string, RegExp>> = {
  sql_injection:
    /\b(?:statement|query|sql|hibernate|execute [^:]{0,60}|parse [^:]{0,60}|bind [^:]{0,60}):\s|^\S+z\s+\d+ (?:query|execute|prepare)\s|\bset timestamp=\d+;|\bquery_time:|\bquery\t/,
  // Loggers look names up in their container, and log the defaults of lookups in their configuration.
  log4shell:
    /^(?!.*\$\{jndi:(?!java:)|.*\$\{(?!(?:sys|env|ctx|main|spring|docker|web):[\w.-]{1,60}:-\$\{)[^{}]{0,20}\$\{(?:lower|upper|env|sys|date|::-|:))/s,
  // The answer of another server to mail that this one delivers.
  relay_probe: /\bdsn=[245]\.\d|smtp error from remote mail server/,
  path_traversal:
    /(?:cannot find|can't find|not found|can't resolve|failed to resolve|could not resolve)\b|\.\.\/[\w@-][\w@./-]{0,200}\.(?:[cm]?[jt]sx?|vue|s?css|c|cc|cpp|h|hpp|rs|go|java|py|rb|php)\b/,
}

/** Whether a text that contains a sign is harmless. */
export const isOrdinary = (label: string, reading: string): boolean =>
  ordinary[label]?.test(reading) === true && !reading.includes('xp_cmdshell') && !request.test(reading)

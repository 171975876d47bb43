/** Alternative names of programs, and of compatible programs, in texts, logs and units; and the ports they listen on by convention. */
const programs: readonly { names: string; ports: readonly number[] }[] = [
  { names: 'postgres postgresql pgsql psql pgbouncer', ports: [5432, 6432] },
  { names: 'mysql mysqld mariadb mariadbd', ports: [3306] },
  { names: 'redis valkey', ports: [6379] },
  { names: 'mongo mongod mongodb', ports: [27017] },
  { names: 'rabbitmq rabbit amqp', ports: [5672] },
  { names: 'kafka', ports: [9092] },
  { names: 'elasticsearch opensearch', ports: [9200] },
  { names: 'memcached memcache', ports: [11211] },
  { names: 'etcd', ports: [2379] },
  { names: 'ldap slapd openldap', ports: [389, 636] },
  { names: 'mosquitto mqtt', ports: [1883] },
  { names: 'apache apache2 httpd', ports: [] },
  { names: 'ssh sshd openssh', ports: [] },
  { names: 'homeassistant hass', ports: [8123] },
]

const byName = new Map<string, readonly string[]>()
const byPort = new Map<number, readonly string[]>()
for (const { names, ports } of programs) {
  const all = names.split(' ')
  for (const name of all) byName.set(name, all)
  for (const port of ports) byPort.set(port, all)
}

/** All names of the program that a word names; the word alone if the program is unknown. */
export const namesOfProgram = (word: string): readonly string[] => byName.get(word) ?? [word]

/** The names of the program that listens on a port by convention. */
export const programsOfPort = (port: number): readonly string[] => byPort.get(port) ?? []

/** Words with the names that two neighbours form together: "home assistant" and "pi hole" are names of programs that logs write as one word. */
export const withJoinedNames = (words: readonly string[]): string[] => [
  ...words,
  ...words.slice(1).map((word, index) => `${words[index]}${word}`),
]

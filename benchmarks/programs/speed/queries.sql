-- Concrete SQLite: a table with an index, aggregates, updates, a join.
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x < 5000) INSERT INTO t SELECT x, 'name' || (x * 7919 % 5000), x * 1.5 FROM n;
CREATE INDEX i ON t(b);
SELECT count(*), sum(a), avg(c), max(b) FROM t;
SELECT b, c FROM t WHERE b LIKE 'name9%' ORDER BY b DESC LIMIT 5;
SELECT a % 10 AS k, count(*), sum(c) FROM t GROUP BY k HAVING k > 4 ORDER BY 3;
UPDATE t SET c = c + 1 WHERE a % 3 = 0;
DELETE FROM t WHERE b IN (SELECT b FROM t WHERE a < 100);
SELECT printf('%d|%08.3f|%s', count(*), sum(x.c), min(x.b)) FROM t x JOIN t y USING (a);

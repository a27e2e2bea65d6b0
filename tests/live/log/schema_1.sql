-- A log as schema 1 left it; written down once, never made anew from the code.
pragma application_id = 1433421938;
pragma user_version = 1;
create table experiments (
  id integer primary key, name text not null unique
) strict;
create table events (
  experiment integer not null, n integer not null, kind integer not null,
  trial integer not null, segment integer not null, arm integer not null,
  value real not null, at real not null, extra text,
  primary key (experiment, n)
) strict, without rowid;
create unique index one_outcome on events (experiment, trial)
  where trial <> 0 and kind in (4, 5, 6);
insert into experiments values (1, 'old');
insert into events values (1, 1, 1, 0, 0, -1, 0.0, 1700000000.0, '{"arms":["a","b"]}');
insert into events values (1, 2, 3, 11, 0, 1, 0.5, 1700000001.0, null);
insert into events values (1, 3, 4, 11, 0, 1, 2.25, 1700000002.5, null);
pragma journal_mode = wal;

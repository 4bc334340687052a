package shop;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.inject.Inject;

/**
 * The shop's own tables, in a schema of its own. A real application would use a migration tool; this one only has to
 * tolerate concurrent starts.
 */
@Singleton
@Startup
public class ShopTables {

  @Inject
  private ShopDatabase database;

  @PostConstruct
  void create() {
    database.number("select 1 from (select pg_advisory_xact_lock(7306)) as one_at_a_time");
    database.update("create schema if not exists shop");
    database.update("create table if not exists shop.stock (article text primary key, quantity int not null check (quantity >= 0))");
    database.update("""
        create table if not exists shop.orders (
          order_id bigint generated always as identity primary key,
          customer text not null, article text not null, quantity int not null,
          grams int, shipped_at timestamptz)""");
    database.update("insert into shop.stock values ('teapot', 10) on conflict do nothing");
  }
}

package shop;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

/** The shop's tables, in a schema of its own. A real application would use a migration tool. */
@Singleton
@Startup
public class ShopTables {

  @PersistenceContext
  private EntityManager database;

  @PostConstruct
  void create() {
    database.createNativeQuery("select 1 from (select pg_advisory_xact_lock(7307)) as one_at_a_time").getResultList();
    database.createNativeQuery("create schema if not exists shop").executeUpdate();
    database.createNativeQuery("""
        create table if not exists shop.customer_orders (
          order_id bigint generated always as identity primary key,
          article text not null, quantity int not null, reference text unique)""").executeUpdate();
    database.createNativeQuery("""
        create table if not exists shop.shipments (
          shipment_id bigint generated always as identity primary key,
          order_id bigint not null references shop.customer_orders, grams int not null)""").executeUpdate();
  }
}
